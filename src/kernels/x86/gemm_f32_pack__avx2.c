/* Packs B into panels of up to 16 columns, 8 columns at a time:
 *
 *     for k: for n: packed[row(k)][n] = b[k][n] * scale[n]
 *
 * A column-major B (k_stride 1, weights as [N, K]) goes through 8 x 8 transposes, a
 * row-major one (n_stride 1) is copied; any other form and the odd ends are left to the
 * reference. */
#include "kernels/gemm_kernels.h"

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

typedef struct block {
    __m256 v[8];
} block;

INLINE __m256 low(__m256 a, __m256 b) { return _mm256_permute2f128_ps(a, b, 0x20); }
INLINE __m256 high(__m256 a, __m256 b) { return _mm256_permute2f128_ps(a, b, 0x31); }

/* Rows become columns: 4 x 4 inside the 128-bit lanes, then the lanes themselves. */
INLINE void transpose(block *b) {
    __m256 t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(b->v[i], b->v[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(b->v[i], b->v[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        u[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        u[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        u[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        u[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        b->v[i] = low(u[i], u[i + 4]);
        b->v[i + 4] = high(u[i], u[i + 4]);
    }
}

/* Eight whole columns at `column`; rows up to a multiple of 8. Returns the rows done. */
static size_t pack_columns(const hst__gemm_f32_panel *p, size_t column, __m256 scale) {
    const char *from = p->b + column * p->n_stride * sizeof(float);
    size_t k = 0;
    for (; k + 8 <= p->k; k += 8) {
        block b;
        for (size_t j = 0; j < 8; j++)
            b.v[j] = _mm256_loadu_ps(
                (const float *)(const void *)(from +
                                              (j * p->n_stride + k) * sizeof(float)));
        transpose(&b);
        for (size_t i = 0; i < 8; i++) {
            float *to = p->packed + hst__gemm_f32_panel_row(p, k + i) * p->w + column;
            _mm256_storeu_ps(to, _mm256_mul_ps(b.v[i], scale));
        }
    }
    return k;
}

static size_t pack_rows(const hst__gemm_f32_panel *p, size_t column, __m256 scale) {
    const char *from = p->b + column * sizeof(float);
    for (size_t k = 0; k < p->k; k++, from += p->k_stride * sizeof(float)) {
        float *to = p->packed + hst__gemm_f32_panel_row(p, k) * p->w + column;
        __m256 v = _mm256_loadu_ps((const float *)(const void *)from);
        _mm256_storeu_ps(to, _mm256_mul_ps(v, scale));
    }
    return p->k;
}

/* One value at a time: rows from..k-1 of columns column..column+7. */
static void pack_rest(const hst__gemm_f32_panel *p, size_t column, size_t from) {
    for (size_t k = from; k < p->k; k++) {
        float *to = p->packed + hst__gemm_f32_panel_row(p, k) * p->w;
        for (size_t j = column; j < column + 8; j++) {
            float value = 0;
            if (j < p->n)
                __builtin_memcpy(
                    &value, p->b + (k * p->k_stride + j * p->n_stride) * sizeof value,
                    sizeof value);
            to[j] = p->scale && j < p->n ? value * p->scale[j] : value;
        }
    }
}

void hst__gemm_f32_pack__avx2(const hst__gemm_f32_panel *p) {
    for (size_t column = 0; column < p->w; column += 8) {
        size_t done = 0;
        if (column + 8 <= p->n && (p->k_stride == 1 || p->n_stride == 1)) {
            __m256 scale =
                p->scale ? _mm256_loadu_ps(p->scale + column) : _mm256_set1_ps(1);
            done = p->k_stride == 1 ? pack_columns(p, column, scale)
                                    : pack_rows(p, column, scale);
        }
        pack_rest(p, column, done);
    }
}
