/* Quantisation parameters of operators: real = (q - zero point) * scale. */
#ifndef HST_OPS_QUANT_H
#define HST_OPS_QUANT_H

#include <math.h>

#include "ops/op.h"

/** Range of an integer element type; false for others. */
static inline bool hst__quant_range(hst_dtype t, int64_t *low, int64_t *high) {
    switch (t) {
    case HST_DTYPE_U8:
        *low = 0, *high = 255;
        return true;
    case HST_DTYPE_S8:
        *low = -128, *high = 127;
        return true;
    case HST_DTYPE_U16:
        *low = 0, *high = 65535;
        return true;
    case HST_DTYPE_S16:
        *low = -32768, *high = 32767;
        return true;
    case HST_DTYPE_S32:
        *low = INT32_MIN, *high = INT32_MAX;
        return true;
    default:
        return false;
    }
}

static inline int32_t hst__quant_load(hst_dtype t, const void *p, size_t i) {
    switch (t) {
    case HST_DTYPE_U8:
        return ((const uint8_t *)p)[i];
    case HST_DTYPE_S8:
        return ((const int8_t *)p)[i];
    case HST_DTYPE_U16:
        return ((const uint16_t *)p)[i];
    case HST_DTYPE_S16:
        return ((const int16_t *)p)[i];
    default:
        return ((const int32_t *)p)[i];
    }
}

static inline void hst__quant_store(hst_dtype t, void *p, size_t i, int64_t v) {
    if (t == HST_DTYPE_U8 || t == HST_DTYPE_S8)
        ((uint8_t *)p)[i] = (uint8_t)v;
    else if (t == HST_DTYPE_U16 || t == HST_DTYPE_S16)
        ((uint16_t *)p)[i] = (uint16_t)v;
    else
        ((int32_t *)p)[i] = (int32_t)v;
}

/** Rounds half to even, adds the zero point, saturates; NaN gives the zero point's end.
 */
static inline int64_t hst__quant_round(float x, int64_t zero, int64_t low, int64_t high) {
    float r = nearbyintf(x);
    if (!(r > -4e9f))
        return low;
    int64_t v = r > 4e9f ? high : (int64_t)r + zero;
    return v < low ? low : v > high ? high : v;
}

/** The zero point at i of an optional input. */
static inline int32_t hst__quant_zero(const hst__step *s, const hst__run *r, int input,
                                      size_t i) {
    const void *p = hst__in(s, r, input);
    return p ? hst__quant_load(s->in_desc[input].dtype, p, i) : 0;
}

/** How scale and zero point (inputs 1 and 2 of QuantizeLinear and DequantizeLinear) lie
 * over input 0: element (o, a, i) of [outer][axis][inner] has parameter number o *
 * o_stride + a / block * a_stride + i * i_stride. */
typedef struct hst__quant_axis {
    size_t outer, axis, inner;
    size_t o_stride, a_stride, i_stride, block;
} hst__quant_axis;

hst_status hst__quant_axis_get(hst__op_ctx *c, hst__quant_axis *q);

#endif
