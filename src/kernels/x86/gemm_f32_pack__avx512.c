/* Packs B into panels of up to 32 columns, 16 columns at a time:
 *
 *     for k: for n: packed[row(k)][n] = b[k][n] * scale[n]
 *
 * A column-major B (k_stride 1, weights as [N, K]) goes through 16 x 16 transposes, any
 * other B is gathered or, with n_stride 1, copied. */
#include "kernels/gemm_kernels.h"

#include <immintrin.h>

typedef struct block {
    __m512 v[16];
} block;

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE __m512d pd(__m512 v) { return _mm512_castps_pd(v); }
INLINE __m512 ps(__m512d v) { return _mm512_castpd_ps(v); }

/* Rows become columns: 4 x 4 inside the 128-bit lanes, then the lanes themselves. */
INLINE void transpose(block *b) {
    block t;
    UNROLL for (int i = 0; i < 16; i += 4) {
        __m512 x0 = _mm512_unpacklo_ps(b->v[i], b->v[i + 1]);
        __m512 x1 = _mm512_unpackhi_ps(b->v[i], b->v[i + 1]);
        __m512 x2 = _mm512_unpacklo_ps(b->v[i + 2], b->v[i + 3]);
        __m512 x3 = _mm512_unpackhi_ps(b->v[i + 2], b->v[i + 3]);
        t.v[i] = ps(_mm512_unpacklo_pd(pd(x0), pd(x2)));
        t.v[i + 1] = ps(_mm512_unpackhi_pd(pd(x0), pd(x2)));
        t.v[i + 2] = ps(_mm512_unpacklo_pd(pd(x1), pd(x3)));
        t.v[i + 3] = ps(_mm512_unpackhi_pd(pd(x1), pd(x3)));
    }
    UNROLL for (int i = 0; i < 4; i++) {
        __m512 x0 = _mm512_shuffle_f32x4(t.v[i], t.v[i + 4], 0x88);
        __m512 x1 = _mm512_shuffle_f32x4(t.v[i], t.v[i + 4], 0xdd);
        __m512 x2 = _mm512_shuffle_f32x4(t.v[i + 8], t.v[i + 12], 0x88);
        __m512 x3 = _mm512_shuffle_f32x4(t.v[i + 8], t.v[i + 12], 0xdd);
        b->v[i] = _mm512_shuffle_f32x4(x0, x2, 0x88);
        b->v[i + 4] = _mm512_shuffle_f32x4(x1, x3, 0x88);
        b->v[i + 8] = _mm512_shuffle_f32x4(x0, x2, 0xdd);
        b->v[i + 12] = _mm512_shuffle_f32x4(x1, x3, 0xdd);
    }
}

static __mmask16 first(size_t n) { return (__mmask16)(n < 16 ? (1u << n) - 1 : 0xffffu); }

/* Columns column..column+15 of the panel. */
typedef struct strip {
    const char *b;
    float *packed;
    size_t n;        /* columns that exist */
    __mmask16 store; /* columns that the panel has */
    __m512 scale;
} strip;

static void pack_columns(const hst__gemm_f32_panel *p, const strip *s) {
    size_t column_bytes = p->n_stride * sizeof(float);
    for (size_t k = 0; k < p->k; k += 16) {
        size_t rows = p->k - k < 16 ? p->k - k : 16;
        __mmask16 load = first(rows);
        block b;
        /* Columns past the last read the first with an empty mask: a masked load that
         * touches an unmapped page is slow even when nothing is loaded. */
        UNROLL for (size_t j = 0; j < 16; j++) {
            const char *from = s->b + (j < s->n ? j : 0) * column_bytes;
            b.v[j] = _mm512_maskz_loadu_ps(j < s->n ? load : 0, from + k * sizeof(float));
        }
        transpose(&b);
        UNROLL for (size_t i = 0; i < 16; i++) {
            if (i < rows) {
                float *to = s->packed + hst__gemm_f32_panel_row(p, k + i) * p->w;
                _mm512_mask_storeu_ps(to, s->store, _mm512_mul_ps(b.v[i], s->scale));
            }
        }
    }
}

static void pack_rows(const hst__gemm_f32_panel *p, const strip *s) {
    __mmask16 load = first(s->n);
    for (size_t k = 0; k < p->k; k++) {
        const char *from = s->b + k * p->k_stride * sizeof(float);
        float *to = s->packed + hst__gemm_f32_panel_row(p, k) * p->w;
        __m512 v = _mm512_maskz_loadu_ps(load, from);
        _mm512_mask_storeu_ps(to, s->store, _mm512_mul_ps(v, s->scale));
    }
}

void hst__gemm_f32_pack__avx512(const hst__gemm_f32_panel *p) {
    bool columns = p->k_stride == 1;
    if (!columns && p->n_stride != 1) {
        hst__gemm_f32_pack__ref(p);
        return;
    }
    for (size_t column = 0; column < p->w; column += 16) {
        size_t n = p->n > column ? p->n - column : 0;
        strip s = {
            .b = p->b + column * p->n_stride * sizeof(float),
            .packed = p->packed + column,
            .n = n < 16 ? n : 16,
            .store = first(p->w - column),
            .scale = _mm512_set1_ps(1),
        };
        if (p->scale)
            s.scale = _mm512_maskz_loadu_ps(first(n), p->scale + column);
        if (columns)
            pack_columns(p, &s);
        else
            pack_rows(p, &s);
    }
}
