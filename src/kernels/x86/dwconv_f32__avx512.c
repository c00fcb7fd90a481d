/* Depthwise convolution of part of a row, 16 channels in the lanes:
 *
 *     for i in pixels: for c: for row: for col:
 *         y[i][c] += x[row][i * stride + col * dilation][c] * w[row][col][c]
 *
 * Windows of 3 or 5 columns with stride 1 or 2, or 7 with stride 1, take up to 7 pixels
 * together, so that each input vector is loaded once for all outputs that it meets in a
 * row of the window. All else takes a pixel at a time, 64 channels together. */
#include "kernels/dwconv_kernels.h"

#include <immintrin.h>

enum { LANES = 16, PIXELS = 7, VECTORS = 4, WIDTH = (PIXELS - 1) * 2 + 5 };

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE __mmask16 lanes(size_t left) {
    return (__mmask16)(left < LANES ? (1u << left) - 1 : 0xffffu);
}

/* The sum is the second operand of max and min: that is the one kept when it is NaN. */
INLINE __m512 activate(__m512 v, const hst__act *act) {
    const __m512 zero = _mm512_setzero_ps();
    if (act->kind == HST__ACT_RELU)
        return _mm512_max_ps(zero, v);
    if (act->kind == HST__ACT_CLIP)
        return _mm512_min_ps(_mm512_set1_ps(act->b),
                             _mm512_max_ps(_mm512_set1_ps(act->a), v));
    if (act->kind == HST__ACT_LEAKY_RELU) {
        __mmask16 negative = _mm512_cmp_ps_mask(v, zero, _CMP_LT_OQ);
        return _mm512_mask_mul_ps(v, negative, v, _mm512_set1_ps(act->a));
    }
    return v;
}

INLINE void finish(const hst__dwconv_f32_part *p, size_t pixel, size_t c, __mmask16 mask,
                   __m512 v) {
    if (p->addend)
        v = _mm512_add_ps(v, _mm512_maskz_loadu_ps(mask, p->addend + pixel * p->ldd + c));
    _mm512_mask_storeu_ps(p->y + pixel * p->y_step + c, mask, activate(v, &p->act));
}

INLINE __m512 start(const hst__dwconv_f32_part *p, size_t c, __mmask16 mask) {
    return p->bias ? _mm512_maskz_loadu_ps(mask, p->bias + c) : _mm512_setzero_ps();
}

/* n pixels from `first` on, windows of `cols` columns, `stride` columns apart; `border`
 * where some of the columns lie outside the input. */
INLINE void some_pixels(const hst__dwconv_f32_part *p, size_t first, int n, int cols,
                        int stride, bool border) {
    const int width = (n - 1) * stride + cols; /* input columns met */
    ptrdiff_t begin = p->first_col + (ptrdiff_t)first * stride;
    __mmask16 inside[WIDTH];
    size_t at[WIDTH];
    if (border) {
        UNROLL for (int i = 0; i < width; i++) {
            bool exists = begin + i >= 0 && begin + i < (ptrdiff_t)p->in_cols;
            inside[i] = exists ? 0xffffu : 0;
            at[i] = exists ? (size_t)(begin + i) * p->col_step : 0;
        }
    }
    const float *w = p->w, *line = border ? p->x : p->x + begin * (ptrdiff_t)p->col_step;
    for (size_t c = 0; c < p->channels; c += LANES, w += p->w_block_step) {
        __mmask16 mask = lanes(p->channels - c);
        __m512 sum[PIXELS];
        UNROLL for (int i = 0; i < n; i++) sum[i] = start(p, c, mask);
        const float *x = line + c;
        for (size_t row = 0; row < p->rows; row++, x += p->row_step) {
            __m512 in[WIDTH], weight[7];
            UNROLL for (int k = 0; k < cols; k++) weight[k] =
                _mm512_loadu_ps(w + row * p->w_row_step + k * LANES);
            UNROLL for (int i = 0; i < width; i++) {
                if (border)
                    in[i] = _mm512_maskz_loadu_ps(mask & inside[i], x + at[i]);
                else
                    in[i] = _mm512_maskz_loadu_ps(mask, x + (size_t)i * p->col_step);
            }
            UNROLL for (int k = 0; k < cols; k++) {
                UNROLL for (int i = 0; i < n; i++) sum[i] =
                    _mm512_fmadd_ps(in[i * stride + k], weight[k], sum[i]);
            }
        }
        UNROLL for (int i = 0; i < n; i++) finish(p, first + (size_t)i, c, mask, sum[i]);
    }
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
        case 4:
            pixels_at(p, first, 4, cols, stride);
            break;
        case 5:
            pixels_at(p, first, 5, cols, stride);
            break;
        case 6:
            pixels_at(p, first, 6, cols, stride);
            break;
        default:
            pixels_at(p, first, 7, cols, stride);
        }
        first = end;
    }
}

static void cols_3_stride_1(const hst__dwconv_f32_part *p) { all_pixels(p, 3, 1); }
static void cols_3_stride_2(const hst__dwconv_f32_part *p) { all_pixels(p, 3, 2); }
static void cols_5_stride_1(const hst__dwconv_f32_part *p) { all_pixels(p, 5, 1); }
static void cols_5_stride_2(const hst__dwconv_f32_part *p) { all_pixels(p, 5, 2); }
static void cols_7_stride_1(const hst__dwconv_f32_part *p) { all_pixels(p, 7, 1); }

/* n vectors of channels of one pixel, whose window meets the input with taps `cols`. */
INLINE void one_pixel(const hst__dwconv_f32_part *p, size_t pixel, hst__dwconv_span cols,
                      size_t c, int n) {
    __m512 sum[VECTORS];
    __mmask16 mask[VECTORS];
    UNROLL for (int v = 0; v < n; v++) {
        mask[v] = v < n - 1 ? (__mmask16)0xffffu : lanes(p->channels - c - v * LANES);
        sum[v] = start(p, c + v * LANES, mask[v]);
    }
    ptrdiff_t first = p->first_col + (ptrdiff_t)(pixel * p->stride);
    const float *w_line = p->w + c / LANES * p->w_block_step + cols.begin * LANES;
    const float *line = p->x + c;
    size_t step = p->dilation * p->col_step;
    if (cols.begin < cols.end)
        line += (size_t)(first + (ptrdiff_t)(cols.begin * p->dilation)) * p->col_step;
    for (size_t i = 0; i < p->rows; i++, line += p->row_step, w_line += p->w_row_step) {
        const float *x = line, *w = w_line;
        for (size_t k = cols.begin; k < cols.end; k++, x += step, w += LANES) {
            UNROLL for (int v = 0; v < n; v++) sum[v] =
                _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask[v], x + v * LANES),
                                _mm512_loadu_ps(w + (size_t)v * p->w_block_step), sum[v]);
        }
    }
    UNROLL for (int v = 0; v < n; v++) finish(p, pixel, c + v * LANES, mask[v], sum[v]);
}

static void any_window(const hst__dwconv_f32_part *p) {
    ptrdiff_t first = p->first_col;
    for (size_t pixel = 0; pixel < p->pixels; pixel++, first += (ptrdiff_t)p->stride) {
        hst__dwconv_span cols =
            hst__dwconv_taps_inside(first, p->dilation, p->cols, p->in_cols);
        size_t c = 0;
        for (; c + VECTORS * LANES <= p->channels; c += VECTORS * LANES)
            one_pixel(p, pixel, cols, c, VECTORS);
        for (; c < p->channels; c += LANES)
            one_pixel(p, pixel, cols, c, 1);
    }
}

void hst__dwconv_f32__avx512(const hst__dwconv_f32_part *p) {
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
