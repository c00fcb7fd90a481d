/* Channels-last pooling as loops over channels that a compiler turns into vector code;
 * included once by the file of each CPU level. */
#ifndef HST_KERNELS_POOL_BODY_H
#define HST_KERNELS_POOL_BODY_H

#include <math.h>

#include "kernels/pool.h"

static inline float max1(float a, float b) { return b > a || b != b ? b : a; }

/** The taps of output position o whose reads lie inside the input: begin..end-1. */
static inline void taps(const hst__pool_desc *d, int i, ptrdiff_t o, ptrdiff_t *begin,
                        ptrdiff_t *end) {
    ptrdiff_t at = o * d->stride[i] - d->pad_begin[i], step = d->dilation[i];
    *begin = at < 0 ? (-at + step - 1) / step : 0;
    *end = at >= d->in[i] ? 0 : (d->in[i] - at + step - 1) / step;
    if (*end > d->kernel[i])
        *end = d->kernel[i];
    if (*begin > *end)
        *begin = *end;
}

/** What an average is divided by along one dimension: taps inside, or inside the padding.
 */
static inline ptrdiff_t divisor(const hst__pool_desc *d, int i, ptrdiff_t o,
                                ptrdiff_t inside) {
    if (!d->count_include_pad)
        return inside;
    ptrdiff_t at = o * d->stride[i] - d->pad_begin[i];
    ptrdiff_t room = d->in[i] + d->pad_end[i] - at;
    ptrdiff_t n = (room + d->dilation[i] - 1) / d->dilation[i];
    return n < d->kernel[i] ? n : d->kernel[i];
}

static void max_rows(const hst__pool_desc *d, const float *x, float *y, size_t row_begin,
                     size_t row_end) {
    const size_t c = d->channels, line = (size_t)d->in[1] * c;
    for (size_t row = row_begin; row < row_end; row++) {
        ptrdiff_t oh = (ptrdiff_t)row % d->out[0], h0, h1, w0, w1;
        const float *image = x + row / (size_t)d->out[0] * (size_t)d->in[0] * line;
        float *out = y + row * (size_t)d->out[1] * c;
        taps(d, 0, oh, &h0, &h1);
        for (ptrdiff_t ow = 0; ow < d->out[1]; ow++, out += c) {
            taps(d, 1, ow, &w0, &w1);
            for (size_t k = 0; k < c; k++)
                out[k] = -INFINITY;
            for (ptrdiff_t i = h0; i < h1; i++) {
                ptrdiff_t ih = oh * d->stride[0] - d->pad_begin[0] + i * d->dilation[0];
                for (ptrdiff_t j = w0; j < w1; j++) {
                    ptrdiff_t iw =
                        ow * d->stride[1] - d->pad_begin[1] + j * d->dilation[1];
                    const float *in = image + (size_t)ih * line + (size_t)iw * c;
                    for (size_t k = 0; k < c; k++)
                        out[k] = max1(out[k], in[k]);
                }
            }
        }
    }
}

static void average_rows(const hst__pool_desc *d, const float *x, float *y,
                         size_t row_begin, size_t row_end) {
    const size_t c = d->channels, line = (size_t)d->in[1] * c;
    for (size_t row = row_begin; row < row_end; row++) {
        ptrdiff_t oh = (ptrdiff_t)row % d->out[0], h0, h1, w0, w1;
        const float *image = x + row / (size_t)d->out[0] * (size_t)d->in[0] * line;
        float *out = y + row * (size_t)d->out[1] * c;
        taps(d, 0, oh, &h0, &h1);
        for (ptrdiff_t ow = 0; ow < d->out[1]; ow++, out += c) {
            taps(d, 1, ow, &w0, &w1);
            float scale =
                1.0f / (float)(divisor(d, 0, oh, h1 - h0) * divisor(d, 1, ow, w1 - w0));
            for (size_t k = 0; k < c; k++)
                out[k] = 0;
            for (ptrdiff_t i = h0; i < h1; i++) {
                ptrdiff_t ih = oh * d->stride[0] - d->pad_begin[0] + i * d->dilation[0];
                for (ptrdiff_t j = w0; j < w1; j++) {
                    ptrdiff_t iw =
                        ow * d->stride[1] - d->pad_begin[1] + j * d->dilation[1];
                    const float *in = image + (size_t)ih * line + (size_t)iw * c;
                    for (size_t k = 0; k < c; k++)
                        out[k] += in[k];
                }
            }
            for (size_t k = 0; k < c; k++)
                out[k] *= scale;
        }
    }
}

static void max_all(const float *x, float *y, size_t n, size_t channels) {
    for (size_t k = 0; k < channels; k++)
        y[k] = -INFINITY;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < channels; k++)
            y[k] = max1(y[k], x[i * channels + k]);
}

/** Rows are summed in blocks, so that rounding grows with the square root of n at most.
 */
static void average_all(const float *x, float *y, size_t n, size_t channels) {
    enum { STRIP = 64, BLOCK = 128 };
    for (size_t from = 0; from < channels; from += STRIP) {
        size_t width = channels - from < STRIP ? channels - from : STRIP;
        float total[STRIP] = {0};
        for (size_t i = 0; i < n; i += BLOCK) {
            float sum[STRIP] = {0};
            size_t end = i + BLOCK < n ? i + BLOCK : n;
            for (size_t r = i; r < end; r++)
                for (size_t k = 0; k < width; k++)
                    sum[k] += x[r * channels + from + k];
            for (size_t k = 0; k < width; k++)
                total[k] += sum[k];
        }
        for (size_t k = 0; k < width; k++)
            y[from + k] = total[k] / (float)n;
    }
}

#endif
