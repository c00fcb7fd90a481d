#include <immintrin.h>

#include "kernels/peak.h"

enum { CHAINS = 12 }; /* independent sums: latency times issue width, with a margin */

double hst__peak_f32__avx2(size_t rounds, float *sink) {
    __m256 acc[CHAINS], x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(0.001f);
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++)
        acc[i] = _mm256_set1_ps((float)i);
    for (size_t r = 0; r < rounds; r++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            acc[i] = _mm256_fmadd_ps(acc[i], x, y);
#pragma GCC unroll 12
    for (int i = 1; i < CHAINS; i++)
        acc[0] = _mm256_add_ps(acc[0], acc[i]);
    *sink = _mm256_cvtss_f32(acc[0]);
    return (double)rounds * CHAINS * 16;
}

/** Exact u8 x s8 without a dot-product instruction: widen to 16 bits, multiply-add pairs.
 */
double hst__peak_int8__avx2(size_t rounds, float *sink) {
    __m256i acc[CHAINS], x = _mm256_set1_epi16(3), y = _mm256_set1_epi16(-5);
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++)
        acc[i] = _mm256_set1_epi32(i);
    for (size_t r = 0; r < rounds; r++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            acc[i] = _mm256_add_epi32(acc[i], _mm256_madd_epi16(x, y));
        x = _mm256_xor_si256(x, _mm256_srli_epi16(y, 15));
        __asm__ volatile("" : "+x"(x));
    }
#pragma GCC unroll 12
    for (int i = 1; i < CHAINS; i++)
        acc[0] = _mm256_add_epi32(acc[0], acc[i]);
    *sink = (float)_mm256_extract_epi32(acc[0], 0);
    return (double)rounds * CHAINS * 32;
}
