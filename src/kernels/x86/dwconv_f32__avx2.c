/* Depthwise convolution of part of a row, 8 channels in the lanes:
 *
 *     for i in pixels: for c: for row: for col:
 *         y[i][c] += x[row][i * stride + col * dilation][c] * w[row][col][c]
 *
 * Windows of 3 or 5 columns with stride 1 or 2, or 7 with stride 1, take up to 4 pixels
 * together, so that each input vector is loaded once for all outputs that it meets in a
 * row of the window. All else takes a pixel at a time, 32 channels together. */
#include "kernels/dwconv_kernels.h"

#include <immintrin.h>

enum { LANES = 8, PIXELS = 4, VECTORS = 4, BLOCK = HST__DWCONV_BLOCK };

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define INLINE static inline __attribute__((always_inline))

/* Eight channels from c on, the last few of a tensor masked. */
typedef struct channels {
    size_t c;
    bool whole;
    __m256i mask;
} channels;

INLINE channels channels_at(const hst__dwconv_f32_part *p, size_t c, bool whole) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return (channels){
        .c = c,
        .whole = whole,
        .mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(p->channels - c)), lane)};
}

INLINE __m256 load(const float *x, channels at) {
    return at.whole ? _mm256_loadu_ps(x) : _mm256_maskload_ps(x, at.mask);
}

/* The sum is the second operand of max and min: that is the one kept when it is NaN. */
INLINE __m256 activate(__m256 v, const hst__act *act) {
    const __m256 zero = _mm256_setzero_ps();
    if (act->kind == HST__ACT_RELU)
        return _mm256_max_ps(zero, v);
    if (act->kind == HST__ACT_CLIP)
        return _mm256_min_ps(_mm256_set1_ps(act->b),
                             _mm256_max_ps(_mm256_set1_ps(act->a), v));
    if (act->kind == HST__ACT_LEAKY_RELU)
        return _mm256_blendv_ps(v, _mm256_mul_ps(v, _mm256_set1_ps(act->a)),
                                _mm256_cmp_ps(v, zero, _CMP_LT_OQ));
    return v;
}

INLINE void finish(const hst__dwconv_f32_part *p, size_t pixel, channels at, __m256 v) {
    if (p->addend)
        v = _mm256_add_ps(v, load(p->addend + pixel * p->ldd + at.c, at));
    v = activate(v, &p->act);
    float *y = p->y + pixel * p->y_step + at.c;
    if (at.whole)
        _mm256_storeu_ps(y, v);
    else
        _mm256_maskstore_ps(y, at.mask, v);
}

INLINE __m256 start(const hst__dwconv_f32_part *p, channels at) {
    return p->bias ? load(p->bias + at.c, at) : _mm256_setzero_ps();
}

INLINE const float *weights(const hst__dwconv_f32_part *p, size_t c) {
    return p->w + c / BLOCK * p->w_block_step + c % BLOCK;
}

/* n pixels from `first` on, windows of `cols` columns, `stride` columns apart; `border`
 * where some of the columns lie outside the input. */
INLINE void some_channels(const hst__dwconv_f32_part *p, size_t first, channels at, int n,
                          int cols, int stride, bool border) {
    const int width = (n - 1) * stride + cols; /* input columns met */
    ptrdiff_t begin = p->first_col + (ptrdiff_t)first * stride;
    __m256 sum[PIXELS];
    UNROLL for (int i = 0; i < n; i++) sum[i] = start(p, at);
    const float *line = p->x + at.c, *w = weights(p, at.c);
    for (size_t row = 0; row < p->rows; row++, line += p->row_step, w += p->w_row_step) {
        UNROLL for (int j = 0; j < width; j++) {
            ptrdiff_t col = begin + j;
            bool exists = !border || (col >= 0 && col < (ptrdiff_t)p->in_cols);
            if (!exists)
                continue;
            __m256 in = load(line + (size_t)col * p->col_step, at);
            UNROLL for (int k = 0; k < cols; k++) {
                int i = j - k; /* output i meets column j with tap k */
                if (i >= 0 && i % stride == 0 && i / stride < n)
                    sum[i / stride] = _mm256_fmadd_ps(in, _mm256_loadu_ps(w + k * BLOCK),
                                                      sum[i / stride]);
            }
        }
    }
    UNROLL for (int i = 0; i < n; i++) finish(p, first + (size_t)i, at, sum[i]);
}

INLINE void some_pixels(const hst__dwconv_f32_part *p, size_t first, int n, int cols,
                        int stride, bool border) {
    size_t c = 0;
    for (; c + LANES <= p->channels; c += LANES)
        some_channels(p, first, channels_at(p, c, true), n, cols, stride, border);
    if (c < p->channels)
        some_channels(p, first, channels_at(p, c, false), n, cols, stride, border);
}

INLINE void pixels_at(const hst__dwconv_f32_part *p, size_t first, int n, int cols,
                      int stride) {
    ptrdiff_t begin = p->first_col + (ptrdiff_t)first * stride;
    ptrdiff_t end = begin + (n - 1) * stride + cols;
    if (begin >= 0 && end <= (ptrdiff_t)p->in_cols)
        some_pixels(p, first, n, cols, stride, false);
    else
        some_pixels(p, first, n, cols, stride, true);
}

/* All pixels, in groups of nearly equal size. */
INLINE void all_pixels(const hst__dwconv_f32_part *p, int cols, int stride) {
    size_t groups = (p->pixels + PIXELS - 1) / PIXELS, first = 0;
    for (size_t group = 0; group < groups; group++) {
        size_t end = p->pixels * (group + 1) / groups;
        switch (end - first) {
        case 1:
            pixels_at(p, first, 1, cols, stride);
            break;
        case 2:
            pixels_at(p, first, 2, cols, stride);
            break;
        case 3:
            pixels_at(p, first, 3, cols, stride);
            break;
        default:
            pixels_at(p, first, 4, cols, stride);
        }
        first = end;
    }
}

static void cols_3_stride_1(const hst__dwconv_f32_part *p) { all_pixels(p, 3, 1); }
static void cols_3_stride_2(const hst__dwconv_f32_part *p) { all_pixels(p, 3, 2); }
static void cols_5_stride_1(const hst__dwconv_f32_part *p) { all_pixels(p, 5, 1); }
static void cols_5_stride_2(const hst__dwconv_f32_part *p) { all_pixels(p, 5, 2); }
static void cols_7_stride_1(const hst__dwconv_f32_part *p) { all_pixels(p, 7, 1); }

/* n vectors of channels of one pixel, whose window meets the input with taps `cols`. Only
 * a single vector may be cut. */
INLINE void one_pixel(const hst__dwconv_f32_part *p, size_t pixel, hst__dwconv_span cols,
                      size_t c, int n, bool whole) {
    __m256 sum[VECTORS];
    channels at[VECTORS];
    const float *w[VECTORS];
    UNROLL for (int v = 0; v < n; v++) {
        at[v] = channels_at(p, c + (size_t)v * LANES, whole);
        w[v] = weights(p, at[v].c);
        sum[v] = start(p, at[v]);
    }
    ptrdiff_t first = p->first_col + (ptrdiff_t)(pixel * p->stride);
    size_t step = p->dilation * p->col_step;
    const float *line = p->x + c;
    if (cols.begin < cols.end)
        line += (size_t)(first + (ptrdiff_t)(cols.begin * p->dilation)) * p->col_step;
    for (size_t i = 0; i < p->rows; i++, line += p->row_step) {
        const float *x = line;
        for (size_t k = cols.begin; k < cols.end; k++, x += step) {
            size_t tap = i * p->w_row_step + k * BLOCK;
            UNROLL for (int v = 0; v < n; v++) sum[v] = _mm256_fmadd_ps(
                load(x + v * LANES, at[v]), _mm256_loadu_ps(w[v] + tap), sum[v]);
        }
    }
    UNROLL for (int v = 0; v < n; v++) finish(p, pixel, at[v], sum[v]);
}

static void any_window(const hst__dwconv_f32_part *p) {
    ptrdiff_t first = p->first_col;
    for (size_t pixel = 0; pixel < p->pixels; pixel++, first += (ptrdiff_t)p->stride) {
        hst__dwconv_span cols =
            hst__dwconv_taps_inside(first, p->dilation, p->cols, p->in_cols);
        size_t c = 0;
        for (; c + VECTORS * LANES <= p->channels; c += VECTORS * LANES)
            one_pixel(p, pixel, cols, c, VECTORS, true);
        for (; c + LANES <= p->channels; c += LANES)
            one_pixel(p, pixel, cols, c, 1, true);
        if (c < p->channels)
            one_pixel(p, pixel, cols, c, 1, false);
    }
}

void hst__dwconv_f32__avx2(const hst__dwconv_f32_part *p) {
    bool fast = p->dilation == 1 && p->pixels > 1;
    if (fast && p->cols == 3 && p->stride == 1)
        cols_3_stride_1(p);
    else if (fast && p->cols == 3 && p->stride == 2)
        cols_3_stride_2(p);
    else if (fast && p->cols == 5 && p->stride == 1)
        cols_5_stride_1(p);
    else if (fast && p->cols == 5 && p->stride == 2)
        cols_5_stride_2(p);
    else if (fast && p->cols == 7 && p->stride == 1)
        cols_7_stride_1(p);
    else
        any_window(p);
}
