#include "kernels/pool_body.h"

#include "base/cpu.h"

const hst__pool_f32 hst__pool_f32__ref = {"pool_f32__ref", max_rows, average_rows,
                                          max_all, average_all};

const hst__pool_f32 *hst__pool_pick(hst_cpu_level level) {
#if defined(__x86_64__)
    level = hst__cpu_resolve(level);
    if (level >= HST_CPU_AVX512)
        return &hst__pool_f32__avx512;
    if (level >= HST_CPU_AVX2)
        return &hst__pool_f32__avx2;
#else
    (void)level;
#endif
    return &hst__pool_f32__ref;
}

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
                taps(d, i, at[i], &begin, &end);
                count *= divisor(d, i, at[i], end - begin);
            }
            y[p * out + o] = (float)(sum / (double)count);
        }
}
