/* Blocks of 8 x 8 in registers. Blocks walk down the rows first, so that each source line
 * is read in one go; the 8 target lines of a block are written 32 bytes at a time. */
#include <immintrin.h>
#include <string.h>

#include "kernels/transpose.h"

static inline void block8(char *to, const char *from, ptrdiff_t st, ptrdiff_t sf) {
    __m256 r[8], t[8];
    for (int i = 0; i < 8; i++)
        r[i] = _mm256_loadu_ps((const float *)(from + i * sf));
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps((float *)(to + i * st),
                         _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps((float *)(to + (i + 4) * st),
                         _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}

static inline void edge(char *to, const char *from, size_t rows, size_t columns,
                        ptrdiff_t st, ptrdiff_t sf) {
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            memcpy(to + (ptrdiff_t)r * st + 4 * c, from + 4 * r + (ptrdiff_t)c * sf, 4);
}

void hst__transpose_u32__avx2(char *to, const char *from, size_t rows, size_t columns,
                              ptrdiff_t st, ptrdiff_t sf) {
    size_t c = 0;
    for (; c + 8 <= columns; c += 8) {
        const char *f = from + (ptrdiff_t)c * sf;
        size_t r = 0;
        for (; r + 8 <= rows; r += 8)
            block8(to + (ptrdiff_t)r * st + 4 * c, f + 4 * r, st, sf);
        edge(to + (ptrdiff_t)r * st + 4 * c, f + 4 * r, rows - r, 8, st, sf);
    }
    edge(to + 4 * c, from + (ptrdiff_t)c * sf, rows, columns - c, st, sf);
}
