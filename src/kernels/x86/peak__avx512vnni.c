#include <immintrin.h>

#include "kernels/peak.h"

enum { CHAINS = 12 };

double hst__peak_int8__avx512vnni(size_t rounds, float *sink) {
    __m512i acc[CHAINS], x = _mm512_set1_epi8(3), y = _mm512_set1_epi8(-5);
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++)
        acc[i] = _mm512_set1_epi32(i);
    for (size_t r = 0; r < rounds; r++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            acc[i] = _mm512_dpbusd_epi32(acc[i], x, y);
#pragma GCC unroll 12
    for (int i = 1; i < CHAINS; i++)
        acc[0] = _mm512_add_epi32(acc[0], acc[i]);
    *sink = (float)_mm_cvtsi128_si32(_mm512_castsi512_si128(acc[0]));
    return (double)rounds * CHAINS * 128;
}
