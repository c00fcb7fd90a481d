/* C[m, n] += over k of A[m, k] * B[k, n] for up to 14 rows, two vectors of 16 columns at
 * a time: 28 sums stay in registers, a step of k loads two vectors of B and multiplies
 * them by each row's value, broadcast from memory inside the multiply-add.
 *
 *     for each panel: for t in taps: for k in kc: for m: for n:
 *         sum[m][n] += rows[t][m][k] * b[t * kc + k][n]
 */
#include "kernels/gemm_kernels.h"

#include <immintrin.h>

enum {
    MR = 14,
    NR = 32,
    AHEAD =
        16 /* steps of k that B is prefetched ahead, for weights that come from memory:
              1.4 % of ResNet-50; distances of 8 to 48 differ less than the noise */
};

/* What a panel narrower than 32 columns is made of: its last vector is v1, of 16 or 8. */
typedef enum width { W8 = 8, W16 = 16, W24 = 24, W32 = 32 } width;

typedef struct sums {
    __m512 v[MR][2];
} sums;

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

/* A row of B's panel. Vectors of 8 go to the low half: the multiply-add is then done at
 * half width by fma_row. */
INLINE void load_b(const float *b, width w, __m512 v[2]) {
    v[0] = w == W8 ? _mm512_castps256_ps512(_mm256_loadu_ps(b)) : _mm512_loadu_ps(b);
    if (w == W24)
        v[1] = _mm512_castps256_ps512(_mm256_loadu_ps(b + 16));
    if (w == W32)
        v[1] = _mm512_loadu_ps(b + 16);
}

INLINE __m512 fma_low(__m256 a, __m512 b, __m512 c) {
    return _mm512_castps256_ps512(
        _mm256_fmadd_ps(a, _mm512_castps512_ps256(b), _mm512_castps512_ps256(c)));
}

INLINE void fma_row(__m512 c[2], const float *a, const __m512 b[2], width w) {
    if (w == W8) {
        c[0] = fma_low(_mm256_set1_ps(*a), b[0], c[0]);
        return;
    }
    __m512 value = _mm512_set1_ps(*a);
    c[0] = _mm512_fmadd_ps(value, b[0], c[0]);
    if (w == W24)
        c[1] = fma_low(_mm512_castps512_ps256(value), b[1], c[1]);
    if (w == W32)
        c[1] = _mm512_fmadd_ps(value, b[1], c[1]);
}

/* Sums += column k of A times row k of B. */
INLINE void step(const float *const *a, size_t k, const float *b, int m, width w,
                 sums *s) {
    __m512 v[2];
    load_b(b, w, v);
    if (w == W32) {
        _mm_prefetch((const char *)(b + AHEAD * W32), _MM_HINT_T0);
        _mm_prefetch((const char *)(b + AHEAD * W32 + 16), _MM_HINT_T0);
    }
    UNROLL for (int i = 0; i < m; i++) fma_row(s->v[i], a[i] + k, v, w);
}

INLINE void sum_up(const hst__gemm_f32_tile *t, const float *b, int m, width w, sums *s) {
    UNROLL for (int i = 0; i < m; i++) s->v[i][0] = s->v[i][1] = _mm512_setzero_ps();
    const float *const *rows = t->rows;
    for (size_t tap = 0; tap < t->taps; tap++, rows += MR) {
        const float *p[MR];
        UNROLL for (int i = 0; i < m; i++) p[i] = rows[i] + t->offset;
        size_t k = 0;
        /* Two steps a turn share the loads of row pointers that do not fit in registers;
         * with the mixed vectors of W24 that measured slower. */
        for (; w != W24 && k + 2 <= t->kc; k += 2, b += 2 * w) {
            step(p, k, b, m, w, s);
            step(p, k + 1, b + w, m, w, s);
        }
        for (; k < t->kc; k++, b += w)
            step(p, k, b, m, w, s);
    }
}

/* act(alpha * sum + bias + addend) of m rows at column j, n <= w of them stored. */
INLINE void finish(const hst__gemm_f32_tile *t, size_t j, size_t n, int m, width w,
                   sums *s) {
    const int vectors = w > W16 ? 2 : 1;
    const __mmask16 mask[2] = {(__mmask16)(n < 16 ? (1u << n) - 1 : 0xffffu),
                               (__mmask16)(n < 32 ? (1u << (n & 15)) - 1 : 0xffffu)};
    const __m512 alpha = _mm512_set1_ps(t->alpha);
    UNROLL for (int v = 0; v < vectors; v++) {
        __m512 bias = _mm512_setzero_ps();
        if (t->bias)
            bias = _mm512_maskz_loadu_ps(mask[v], t->bias + j + v * 16);
        UNROLL for (int i = 0; i < m; i++) s->v[i][v] =
            _mm512_fmadd_ps(s->v[i][v], alpha, bias);
    }
    if (t->addend) {
        const float *d = t->addend + j;
        UNROLL for (int i = 0; i < m; i++, d += t->ldd) {
            UNROLL for (int v = 0; v < vectors; v++) s->v[i][v] =
                _mm512_add_ps(s->v[i][v], _mm512_maskz_loadu_ps(mask[v], d + v * 16));
        }
    }
    /* The sum is the second operand of max and min: that is the one kept when it is NaN.
     */
    if (t->act.kind == HST__ACT_RELU || t->act.kind == HST__ACT_CLIP) {
        bool relu = t->act.kind == HST__ACT_RELU;
        const __m512 lo = _mm512_set1_ps(relu ? 0 : t->act.a);
        const __m512 hi = _mm512_set1_ps(relu ? __builtin_inff() : t->act.b);
        UNROLL for (int i = 0; i < m; i++) {
            UNROLL for (int v = 0; v < vectors; v++) s->v[i][v] =
                _mm512_min_ps(hi, _mm512_max_ps(lo, s->v[i][v]));
        }
    } else if (t->act.kind == HST__ACT_LEAKY_RELU) {
        const __m512 slope = _mm512_set1_ps(t->act.a), zero = _mm512_setzero_ps();
        UNROLL for (int i = 0; i < m; i++) {
            UNROLL for (int v = 0; v < vectors; v++) {
                __mmask16 negative = _mm512_cmp_ps_mask(s->v[i][v], zero, _CMP_LT_OQ);
                s->v[i][v] = _mm512_mask_mul_ps(s->v[i][v], negative, s->v[i][v], slope);
            }
        }
    }
    float *c = t->c + j;
    UNROLL for (int i = 0; i < m; i++, c += t->ldc) {
        UNROLL for (int v = 0; v < vectors; v++)
            _mm512_mask_storeu_ps(c + v * 16, mask[v], s->v[i][v]);
    }
}

INLINE void panel(const hst__gemm_f32_tile *t, const float *panel, size_t j, int m,
                  width w) {
    sums s;
    sum_up(t, panel + t->k_begin * w, m, w, &s);
    finish(t, j, t->n - j < (size_t)w ? t->n - j : (size_t)w, m, w, &s);
}

INLINE void panels(const hst__gemm_f32_tile *t, int m) {
    const float *packed = t->packed;
    size_t j = 0;
    for (; j + W24 < t->n; j += NR, packed += t->panel_stride)
        panel(t, packed, j, m, W32);
    if (j >= t->n)
        return;
    if (t->n - j > W16)
        panel(t, packed, j, m, W24);
    else if (t->n - j > W8)
        panel(t, packed, j, m, W16);
    else
        panel(t, packed, j, m, W8);
}

#define ROWS(m)                                                                          \
    static void rows_##m(const hst__gemm_f32_tile *t) { panels(t, m); }
ROWS(1)
ROWS(2)
ROWS(3)
ROWS(4)
ROWS(5)
ROWS(6)
ROWS(7)
ROWS(8)
ROWS(9)
ROWS(10)
ROWS(11)
ROWS(12)
ROWS(13)
ROWS(14)

void hst__gemm_f32_14x32__avx512(const hst__gemm_f32_tile *t) {
    static hst__gemm_f32_tile_fn *const by_rows[MR] = {
        rows_1, rows_2, rows_3,  rows_4,  rows_5,  rows_6,  rows_7,
        rows_8, rows_9, rows_10, rows_11, rows_12, rows_13, rows_14};
    by_rows[t->m - 1](t);
}
