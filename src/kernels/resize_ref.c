#include "kernels/resize.h"

#include <math.h>

static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

static uint8_t saturate_u8(int v) { return (uint8_t)clamp(v, 0, 255); }

/* ---- fixed ----------------------------------------------------------------------- */

/* Sums wrap in unsigned arithmetic where one alone would overflow; the total fits. */
static uint8_t fixed_round(uint32_t sum) {
    int32_t rounded = (int32_t)(sum + (1u << (HST__RESIZE_FIXED_BITS - 1)));
    return saturate_u8(rounded >> HST__RESIZE_FIXED_BITS);
}

void hst__resize_fixed_h_part(const uint8_t *src, uint8_t *dst,
                              const hst__resize_taps *taps, int channels, int from,
                              int to) {
    for (int i = from; i < to; i++) {
        const int32_t *w = taps->fixed + (size_t)i * (size_t)taps->stride;
        const uint8_t *x = src + (size_t)taps->start[i] * (size_t)channels;
        for (int c = 0; c < channels; c++) {
            uint32_t sum = 0;
            for (int k = 0; k < taps->count[i]; k++)
                sum += (uint32_t)w[k] * x[k * channels + c];
            dst[(size_t)i * (size_t)channels + (size_t)c] = fixed_round(sum);
        }
    }
}

void hst__resize_fixed_h__ref(const uint8_t *const *src, uint8_t *const *dst, int rows,
                              const hst__resize_taps *taps, int channels) {
    for (int r = 0; r < rows; r++)
        hst__resize_fixed_h_part(src[r], dst[r], taps, channels, 0, taps->outputs);
}

void hst__resize_fixed_v__ref(const uint8_t *const *rows, uint8_t *dst, size_t bytes,
                              const hst__resize_taps *taps, int output) {
    const int32_t *w = taps->fixed + (size_t)output * (size_t)taps->stride;
    for (size_t i = 0; i < bytes; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < taps->count[output]; k++)
            sum += (uint32_t)w[k] * rows[k][i];
        dst[i] = fixed_round(sum);
    }
}

/* ---- linear and cubic -------------------------------------------------------------- */

static int32_t short_sum(const uint8_t *src, const hst__resize_short *taps, int channels,
                         int i, int c) {
    int32_t sum = 0;
    for (int k = 0; k < taps->taps; k++) {
        int x = clamp(taps->start[i] + k, 0, taps->width - 1);
        sum += taps->weight[i * taps->taps + k] *
               src[(size_t)x * (size_t)channels + (size_t)c];
    }
    return sum;
}

void hst__resize_linear_h_part(const uint8_t *src, int16_t *dst,
                               const hst__resize_short *taps, int channels, int from,
                               int to) {
    for (int i = from; i < to; i++) {
        for (int c = 0; c < channels; c++)
            dst[(size_t)i * (size_t)channels + (size_t)c] =
                (int16_t)(short_sum(src, taps, channels, i, c) >> 4);
    }
}

void hst__resize_linear_h__ref(const uint8_t *src, int16_t *dst,
                               const hst__resize_short *taps, int channels) {
    hst__resize_linear_h_part(src, dst, taps, channels, 0, taps->outputs);
}

void hst__resize_linear_v__ref(const int16_t *const rows[2], uint8_t *dst, size_t n,
                               const int16_t weight[2]) {
    for (size_t i = 0; i < n; i++) {
        int sum = (rows[0][i] * weight[0] >> 16) + (rows[1][i] * weight[1] >> 16);
        dst[i] = saturate_u8((sum + 2) >> 2);
    }
}

void hst__resize_cubic_h_part(const uint8_t *src, int32_t *dst,
                              const hst__resize_short *taps, int channels, int from,
                              int to) {
    for (int i = from; i < to; i++) {
        for (int c = 0; c < channels; c++)
            dst[(size_t)i * (size_t)channels + (size_t)c] =
                short_sum(src, taps, channels, i, c);
    }
}

void hst__resize_cubic_h__ref(const uint8_t *src, int32_t *dst,
                              const hst__resize_short *taps, int channels) {
    hst__resize_cubic_h_part(src, dst, taps, channels, 0, taps->outputs);
}

void hst__resize_cubic_v__ref(const int32_t *const rows[4], uint8_t *dst, size_t n,
                              const int16_t weight[4]) {
    for (size_t i = 0; i < n; i++) {
        uint32_t sum = 1u << (2 * HST__RESIZE_SHORT_BITS - 1);
        for (int k = 0; k < 4; k++)
            sum += (uint32_t)rows[k][i] * (uint32_t)weight[k];
        dst[i] = saturate_u8((int32_t)sum >> 2 * HST__RESIZE_SHORT_BITS);
    }
}

/* ---- float ------------------------------------------------------------------------- */

void hst__resize_float_h_u8_part(const uint8_t *src, float *dst,
                                 const hst__resize_taps *taps, int channels, int from,
                                 int to) {
    for (int i = from; i < to; i++) {
        const float *w = taps->f32 + (size_t)i * (size_t)taps->stride;
        const uint8_t *x = src + (size_t)taps->start[i] * (size_t)channels;
        for (int c = 0; c < channels; c++) {
            float sum = 0;
            for (int k = 0; k < taps->count[i]; k++)
                sum += w[k] * (float)x[k * channels + c];
            dst[(size_t)i * (size_t)channels + (size_t)c] = sum;
        }
    }
}

void hst__resize_float_h_u8__ref(const uint8_t *src, float *dst,
                                 const hst__resize_taps *taps, int channels) {
    hst__resize_float_h_u8_part(src, dst, taps, channels, 0, taps->outputs);
}

void hst__resize_float_h_u16__ref(const uint16_t *src, float *dst,
                                  const hst__resize_taps *taps, int channels) {
    for (int i = 0; i < taps->outputs; i++) {
        const float *w = taps->f32 + (size_t)i * (size_t)taps->stride;
        const uint16_t *x = src + (size_t)taps->start[i] * (size_t)channels;
        for (int c = 0; c < channels; c++) {
            float sum = 0;
            for (int k = 0; k < taps->count[i]; k++)
                sum += w[k] * (float)x[k * channels + c];
            dst[(size_t)i * (size_t)channels + (size_t)c] = sum;
        }
    }
}

static float float_sum(const float *const *rows, size_t i, const float *w, int count) {
    float sum = w[0] * rows[0][i];
    for (int k = 1; k < count; k++)
        sum += w[k] * rows[k][i];
    return sum;
}

void hst__resize_float_v_u8__ref(const float *const *rows, uint8_t *dst, size_t n,
                                 const hst__resize_taps *taps, int output) {
    const float *w = taps->f32 + (size_t)output * (size_t)taps->stride;
    for (size_t i = 0; i < n; i++)
        dst[i] = saturate_u8((int)lrintf(float_sum(rows, i, w, taps->count[output])));
}

void hst__resize_float_v_u16__ref(const float *const *rows, uint16_t *dst, size_t n,
                                  const hst__resize_taps *taps, int output) {
    const float *w = taps->f32 + (size_t)output * (size_t)taps->stride;
    for (size_t i = 0; i < n; i++) {
        int v = (int)lrintf(float_sum(rows, i, w, taps->count[output]));
        dst[i] = (uint16_t)clamp(v, 0, 65535);
    }
}

/* ---- area -------------------------------------------------------------------------- */

void hst__resize_area_sum__ref(const uint8_t *const *rows, int count, uint32_t *sum,
                               size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t s = 0;
        for (int k = 0; k < count; k++)
            s += rows[k][i];
        sum[i] = s;
    }
}

void hst__resize_area_2x2__ref(const uint8_t *a, const uint8_t *b, uint8_t *dst,
                               int outputs, int channels) {
    for (int i = 0; i < outputs; i++) {
        size_t at = 2 * (size_t)i * (size_t)channels;
        for (size_t c = 0; c < (size_t)channels; c++) {
            size_t x = at + c, y = x + (size_t)channels;
            dst[at / 2 + c] = (uint8_t)((a[x] + a[y] + b[x] + b[y] + 2) >> 2);
        }
    }
}

/* ---- double ------------------------------------------------------------------------ */

static uint16_t double_round(double v) {
    v = v >= 0 ? floor(v + 0.5) : -floor(-v + 0.5);
    return (uint16_t)(v < 0 ? 0 : v > 65535 ? 65535 : v);
}

void hst__resize_double_h(const uint16_t *src, uint16_t *dst,
                          const hst__resize_taps *taps, int channels) {
    for (int i = 0; i < taps->outputs; i++) {
        const double *w = taps->f64 + (size_t)i * (size_t)taps->stride;
        const uint16_t *x = src + (size_t)taps->start[i] * (size_t)channels;
        for (int c = 0; c < channels; c++) {
            double sum = 0;
            for (int k = 0; k < taps->count[i]; k++)
                sum += w[k] * x[k * channels + c];
            dst[(size_t)i * (size_t)channels + (size_t)c] = double_round(sum);
        }
    }
}

void hst__resize_double_v(const uint16_t *const *rows, uint16_t *dst, size_t n,
                          const hst__resize_taps *taps, int output) {
    const double *w = taps->f64 + (size_t)output * (size_t)taps->stride;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < taps->count[output]; k++)
            sum += w[k] * rows[k][i];
        dst[i] = double_round(sum);
    }
}
