/* DynamicQuantizeLinear: scale and zero point from the range of the input, u8 out. */
#include "ops/quant.h"
#include "ops/types.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = hst__op_set_out(c, 0, HST_DTYPE_U8, c->in[0].rank, c->in[0].dims);
    if (!st)
        st = hst__op_set_out(c, 1, HST_DTYPE_F32, 0, NULL);
    return st ? st : hst__op_set_out(c, 2, HST_DTYPE_U8, 0, NULL);
}

static void run(const hst__step *s, const hst__run *r) {
    const float *x = hst__in(s, r, 0);
    uint8_t *y = hst__out(s, r, 0), *zero = hst__out(s, r, 2);
    float low = 0, high = 0, *scale = hst__out(s, r, 1);
    size_t n = hst__desc_size(&s->in_desc[0]);
    for (size_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    float step = (high - low) / 255.0f;
    int64_t z = step > 0 ? hst__quant_round(-low / step, 0, 0, 255) : 0;
    for (size_t i = 0; y && i < n; i++)
        y[i] = step > 0 ? (uint8_t)hst__quant_round(x[i] / step, z, 0, 255) : (uint8_t)z;
    if (scale)
        *scale = step > 0 ? step : 1;
    if (zero)
        *zero = (uint8_t)z;
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    if (c->in[0].dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, 0, "f32");
    s->run = run;
    return HST_OK;
}

const hst__op hst__op_DynamicQuantizeLinear = {11, HST__OPSET_MAX, 1,     1,      3,
                                               3,  false,          infer, prepare};
