/* Pooling as it is defined: channels-last in two dimensions, planar in up to three. */
#include <math.h>

#include "kernels/pool_window.h"

static inline float max1(float a, float b) { return b > a || b != b ? b : a; }

static void max_rows(const hst__pool_desc *d, const float *x, float *y, size_t row_begin,
                     size_t row_end) {
    const size_t c = d->channels, line = (size_t)d->in[1] * c;
    for (size_t row = row_begin; row < row_end; row++) {
        ptrdiff_t oh = (ptrdiff_t)row % d->out[0], h0, h1, w0, w1;
        const float *image = x + row / (size_t)d->out[0] * (size_t)d->in[0] * line;
        float *out = y + row * (size_t)d->out[1] * c;
        hst__pool_taps(d, 0, oh, &h0, &h1);
        for (ptrdiff_t ow = 0; ow < d->out[1]; ow++, out += c) {
            hst__pool_taps(d, 1, ow, &w0, &w1);
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
        hst__pool_taps(d, 0, oh, &h0, &h1);
        for (ptrdiff_t ow = 0; ow < d->out[1]; ow++, out += c) {
            hst__pool_taps(d, 1, ow, &w0, &w1);
            float scale = 1.0f / (float)(hst__pool_divisor(d, 0, oh, h1 - h0) *
                                         hst__pool_divisor(d, 1, ow, w1 - w0));
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

const hst__pool_f32 hst__pool_f32__ref = {"pool_f32__ref", max_rows, average_rows,
                                          max_all, average_all};

/** Spatial position of output number o (row-major). */
static void place(const hst__pool_desc *d, size_t o, ptrdiff_t at[HST__POOL_DIMS]) {
    for (int i = d->dims - 1; i >= 0; i--) {
        at[i] = (ptrdiff_t)(o % (size_t)d->out[i]);
        o /= (size_t)d->out[i];
    }
}

static size_t product(const ptrdiff_t *v, int n) {
    size_t p = 1;
    for (int i = 0; i < n; i++)
        p *= (size_t)v[i];
    return p;
}

/** Number of the input element that tap t of the output at `at` reads; -1 in the padding.
 */
static ptrdiff_t source(const hst__pool_desc *d, const ptrdiff_t *at, size_t t,
                        bool column_major) {
    ptrdiff_t position[HST__POOL_DIMS], index = 0;
    for (int i = d->dims - 1; i >= 0; i--) {
        ptrdiff_t tap = (ptrdiff_t)(t % (size_t)d->kernel[i]);
        t /= (size_t)d->kernel[i];
        position[i] = at[i] * d->stride[i] - d->pad_begin[i] + tap * d->dilation[i];
        if (position[i] < 0 || position[i] >= d->in[i])
            return -1;
    }
    for (int i = 0; i < d->dims; i++) {
        int k = column_major ? d->dims - 1 - i : i;
        index = index * d->in[k] + position[k];
    }
    return index;
}

void hst__pool_nd_max_f32__ref(const hst__pool_desc *d, const float *x, float *y,
                               int64_t *indices, size_t from, size_t to) {
    size_t in = product(d->in, d->dims), out = product(d->out, d->dims);
    size_t window = product(d->kernel, d->dims);
    for (size_t p = from; p < to; p++)
        for (size_t o = 0; o < out; o++) {
            ptrdiff_t at[HST__POOL_DIMS], best = -1;
            float most = -INFINITY;
            place(d, o, at);
            for (size_t t = 0; t < window; t++) {
                ptrdiff_t i = source(d, at, t, false);
                if (i < 0)
                    continue;
                float v = x[p * in + (size_t)i];
                if (best < 0 || v > most || (v != v && most == most)) {
                    most = v;
                    best = source(d, at, t, d->column_major);
                }
            }
            y[p * out + o] = most;
            if (indices)
                indices[p * out + o] = (int64_t)(p * in) + best;
        }
}

void hst__pool_nd_average_f32__ref(const hst__pool_desc *d, const float *x, float *y,
                                   size_t from, size_t to) {
    size_t in = product(d->in, d->dims), out = product(d->out, d->dims);
    size_t window = product(d->kernel, d->dims);
    for (size_t p = from; p < to; p++)
        for (size_t o = 0; o < out; o++) {
            ptrdiff_t at[HST__POOL_DIMS], count = 1;
            double sum = 0;
            place(d, o, at);
            for (size_t t = 0; t < window; t++) {
                ptrdiff_t i = source(d, at, t, false);
                if (i >= 0)
                    sum += x[p * in + (size_t)i];
            }
            for (int i = 0; i < d->dims; i++) {
                ptrdiff_t begin, end;
                hst__pool_taps(d, i, at[i], &begin, &end);
                count *= hst__pool_divisor(d, i, at[i], end - begin);
            }
            y[p * out + o] = (float)(sum / (double)count);
        }
}
