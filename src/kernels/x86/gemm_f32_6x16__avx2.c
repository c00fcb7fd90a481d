/* C[m, n] += over k of A[m, k] * B[k, n] for up to 6 rows, two vectors of 8 columns at a
 * time: 12 sums stay in registers, a step of k loads two vectors of B and one broadcast
 * value of each row.
 *
 *     for each panel: for t in taps: for k in kc: for m: for n:
 *         sum[m][n] += rows[t][m][k] * b[t * kc + k][n]
 */
#include "kernels/gemm_kernels.h"

#include <immintrin.h>

enum {
    MR = 6,
    NR = 16,
    AHEAD = 32 /* steps of k that B is prefetched ahead where it comes from memory */
};

/* Columns in a row of a panel: the last panel may hold one vector instead of two. */
typedef enum width { W8 = 8, W16 = 16 } width;

typedef struct sums {
    __m256 v[MR][2];
} sums;

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

/* Sums += column k of A times row k of B. */
INLINE void step(const float *const *a, size_t k, const float *b, const char *ahead,
                 int m, width w, sums *s) {
    __m256 b0 = _mm256_loadu_ps(b), b1 = b0;
    if (w == W16) {
        b1 = _mm256_loadu_ps(b + 8);
        _mm_prefetch(ahead, _MM_HINT_T0);
    }
    UNROLL for (int i = 0; i < m; i++) {
        __m256 value = _mm256_broadcast_ss(a[i] + k);
        s->v[i][0] = _mm256_fmadd_ps(value, b0, s->v[i][0]);
        if (w == W16)
            s->v[i][1] = _mm256_fmadd_ps(value, b1, s->v[i][1]);
    }
}

/* While the panel at b is summed up, memory brings in what stands from `ahead` on. */
INLINE void sum_up(const hst__gemm_f32_tile *t, const float *b, const float *next, int m,
                   width w, sums *s) {
    const char *ahead = (const char *)(next ? next : b + AHEAD * W16);
    const size_t pace = next ? t->next_pace : W16 * sizeof *b;
    UNROLL for (int i = 0; i < m; i++) s->v[i][0] = s->v[i][1] = _mm256_setzero_ps();
    const float *const *rows = t->rows;
    for (size_t tap = 0; tap < t->taps; tap++, rows += MR) {
        const float *p[MR];
        UNROLL for (int i = 0; i < m; i++) p[i] = rows[i] + t->offset;
        size_t k = 0;
        for (; k + 2 <= t->kc; k += 2, b += 2 * w, ahead += 2 * pace) {
            step(p, k, b, ahead, m, w, s);
            step(p, k + 1, b + w, ahead + pace, m, w, s);
        }
        for (; k < t->kc; k++, b += w, ahead += pace)
            step(p, k, b, ahead, m, w, s);
    }
}

INLINE __m256 load(const float *x, __m256i mask, bool whole) {
    return whole ? _mm256_loadu_ps(x) : _mm256_maskload_ps(x, mask);
}

INLINE void store(float *y, __m256i mask, bool whole, __m256 v) {
    if (whole)
        _mm256_storeu_ps(y, v);
    else
        _mm256_maskstore_ps(y, mask, v);
}

/* The sum is the second operand of max and min: that is the one kept when it is NaN. */
INLINE void activate(const hst__act *act, int m, int v, sums *s) {
    if (act->kind == HST__ACT_RELU || act->kind == HST__ACT_CLIP) {
        bool relu = act->kind == HST__ACT_RELU;
        const __m256 lo = _mm256_set1_ps(relu ? 0 : act->a);
        const __m256 hi = _mm256_set1_ps(relu ? __builtin_inff() : act->b);
        UNROLL for (int i = 0; i < m; i++) s->v[i][v] =
            _mm256_min_ps(hi, _mm256_max_ps(lo, s->v[i][v]));
    } else if (act->kind == HST__ACT_LEAKY_RELU) {
        const __m256 slope = _mm256_set1_ps(act->a), zero = _mm256_setzero_ps();
        UNROLL for (int i = 0; i < m; i++) {
            __m256 x = s->v[i][v];
            s->v[i][v] = _mm256_blendv_ps(x, _mm256_mul_ps(x, slope),
                                          _mm256_cmp_ps(x, zero, _CMP_LT_OQ));
        }
    }
}

/* act(alpha * sum + bias + addend) of m rows in vector v at column j, n of them stored.
 */
INLINE void finish(const hst__gemm_f32_tile *t, size_t j, size_t n, int m, int v,
                   bool whole, sums *s) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lanes);
    const __m256 alpha = _mm256_set1_ps(t->alpha);
    __m256 bias = t->bias ? load(t->bias + j, mask, whole) : _mm256_setzero_ps();
    UNROLL for (int i = 0; i < m; i++) s->v[i][v] =
        _mm256_fmadd_ps(s->v[i][v], alpha, bias);
    if (t->addend) {
        const float *d = t->addend + j;
        UNROLL for (int i = 0; i < m; i++) {
            s->v[i][v] = _mm256_add_ps(s->v[i][v], load(d, mask, whole));
            d += t->ldd;
        }
    }
    activate(&t->act, m, v, s);
    float *c = t->c + j;
    UNROLL for (int i = 0; i < m; i++) {
        store(c, mask, whole, s->v[i][v]);
        c += t->ldc;
    }
}

INLINE void panels(const hst__gemm_f32_tile *t, int m) {
    const float *packed = t->packed, *next = t->next;
    size_t j = 0;
    sums s;
    for (; j + NR <= t->n; j += NR, packed += t->panel_stride) {
        sum_up(t, packed + t->k_begin * W16, next, m, W16, &s);
        next += next ? t->panel_stride : 0;
        finish(t, j, 8, m, 0, true, &s);
        finish(t, j + 8, 8, m, 1, true, &s);
    }
    size_t left = t->n - j;
    if (left > 8) {
        sum_up(t, packed + t->k_begin * W16, next, m, W16, &s);
        finish(t, j, 8, m, 0, true, &s);
        finish(t, j + 8, left - 8, m, 1, false, &s);
    } else if (left) {
        sum_up(t, packed + t->k_begin * W8, NULL, m, W8, &s);
        finish(t, j, left, m, 0, false, &s);
    }
}

#define ROWS(m)                                                                          \
    static void rows_##m(const hst__gemm_f32_tile *t) { panels(t, m); }
ROWS(1)
ROWS(2)
ROWS(3)
ROWS(4)
ROWS(5)
ROWS(6)

void hst__gemm_f32_6x16__avx2(const hst__gemm_f32_tile *t) {
    static hst__gemm_f32_tile_fn *const by_rows[MR] = {rows_1, rows_2, rows_3,
                                                       rows_4, rows_5, rows_6};
    by_rows[t->m - 1](t);
}
