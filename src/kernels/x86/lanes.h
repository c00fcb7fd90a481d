/* Vectors of integers as lanes of 16 bytes, 2 with AVX2 and 4 with AVX-512, so that a
 * kernel body is written once: operations stay within a lane unless they say otherwise.
 */
#ifndef HST_KERNELS_X86_LANES_H
#define HST_KERNELS_X86_LANES_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define L_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512BW__)

enum { LANES = 4 };
typedef __m512i vl;

#define L_OP(name) _mm512_##name
L_INLINE vl l_zero(void) { return _mm512_setzero_si512(); }
L_INLINE vl l_load(const void *p) { return _mm512_loadu_si512(p); }
L_INLINE void l_store(void *p, vl v) { _mm512_storeu_si512(p, v); }
/** x in every lane. */
L_INLINE vl l_same(__m128i x) { return _mm512_broadcast_i32x4(x); }
L_INLINE vl l_join(const __m128i x[LANES]) {
    __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(x[0]), x[1], 1);
    __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(x[2]), x[3], 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
L_INLINE void l_split(vl v, __m128i x[LANES]) {
    x[0] = _mm512_castsi512_si128(v);
    x[1] = _mm512_extracti32x4_epi32(v, 1);
    x[2] = _mm512_extracti32x4_epi32(v, 2);
    x[3] = _mm512_extracti32x4_epi32(v, 3);
}
/** Bytes to words, across lanes. */
L_INLINE vl l_widen8(const void *p) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(p));
}
/** Words to dwords, across lanes; a half of a vector. */
L_INLINE vl l_widen16(__m256i x) { return _mm512_cvtepu16_epi32(x); }
#define l_half(v, i) _mm512_extracti64x4_epi64(v, i)
/** What was packed once (twice) from vectors in order, put in order again. */
L_INLINE vl l_order64(vl v) {
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
}
L_INLINE vl l_order32(vl v) {
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), v);
}

#else

enum { LANES = 2 };
typedef __m256i vl;

#define L_OP(name) _mm256_##name
L_INLINE vl l_zero(void) { return _mm256_setzero_si256(); }
L_INLINE vl l_load(const void *p) { return _mm256_loadu_si256(p); }
L_INLINE void l_store(void *p, vl v) { _mm256_storeu_si256(p, v); }
L_INLINE vl l_same(__m128i x) { return _mm256_broadcastsi128_si256(x); }
L_INLINE vl l_join(const __m128i x[LANES]) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(x[0]), x[1], 1);
}
L_INLINE void l_split(vl v, __m128i x[LANES]) {
    x[0] = _mm256_castsi256_si128(v);
    x[1] = _mm256_extracti128_si256(v, 1);
}
L_INLINE vl l_widen8(const void *p) { return _mm256_cvtepu8_epi16(_mm_loadu_si128(p)); }
L_INLINE vl l_widen16(__m128i x) { return _mm256_cvtepu16_epi32(x); }
#define l_half(v, i) _mm256_extracti128_si256(v, i)
L_INLINE vl l_order64(vl v) { return _mm256_permute4x64_epi64(v, 0xd8); }
L_INLINE vl l_order32(vl v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

#endif

enum { LBYTES = 16 * LANES };

L_INLINE vl l_set16(int x) { return L_OP(set1_epi16)((short)x); }
L_INLINE vl l_set32(int32_t x) { return L_OP(set1_epi32)(x); }
L_INLINE vl l_or(vl a, vl b) { return a | b; }
L_INLINE vl l_add16(vl a, vl b) { return L_OP(add_epi16)(a, b); }
L_INLINE vl l_add32(vl a, vl b) { return L_OP(add_epi32)(a, b); }
L_INLINE vl l_mul32(vl a, vl b) { return L_OP(mullo_epi32)(a, b); }
L_INLINE vl l_mulhi16(vl a, vl b) { return L_OP(mulhi_epi16)(a, b); }
#define l_shl32(a, n) L_OP(slli_epi32)(a, n)
#define l_shr32(a, n) L_OP(srai_epi32)(a, n)
#define l_shr16(a, n) L_OP(srai_epi16)(a, n)
/** a[2i]*b[2i] + a[2i+1]*b[2i+1] of words. */
L_INLINE vl l_madd(vl a, vl b) { return L_OP(madd_epi16)(a, b); }
/** sum + l_madd(a, b). */
L_INLINE vl l_dot16(vl sum, vl a, vl b) {
#if defined(__AVX512VNNI__)
    return _mm512_dpwssd_epi32(sum, a, b);
#else
    return l_add32(sum, l_madd(a, b));
#endif
}
/** Words (bytes) from a then b, lane by lane, saturated. */
L_INLINE vl l_pack32(vl a, vl b) { return L_OP(packs_epi32)(a, b); }
L_INLINE vl l_pack16(vl a, vl b) { return L_OP(packus_epi16)(a, b); }
L_INLINE vl l_low8(vl a, vl b) { return L_OP(unpacklo_epi8)(a, b); }
L_INLINE vl l_high8(vl a, vl b) { return L_OP(unpackhi_epi8)(a, b); }
L_INLINE vl l_low32(vl a, vl b) { return L_OP(unpacklo_epi32)(a, b); }
L_INLINE vl l_high32(vl a, vl b) { return L_OP(unpackhi_epi32)(a, b); }
L_INLINE vl l_low64(vl a, vl b) { return L_OP(unpacklo_epi64)(a, b); }
L_INLINE vl l_high64(vl a, vl b) { return L_OP(unpackhi_epi64)(a, b); }
L_INLINE vl l_shuffle(vl a, vl index) { return L_OP(shuffle_epi8)(a, index); }

/** The two words at p in every pair. */
L_INLINE vl l_pair(const int16_t *p) {
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    return l_set32(pair);
}

/** 16 bytes at `at` behind each pointer. */
L_INLINE vl l_gather(const uint8_t *const p[LANES], size_t at) {
    __m128i x[LANES];
    for (int i = 0; i < LANES; i++)
        x[i] = _mm_loadu_si128((const __m128i *)(p[i] + at));
    return l_join(x);
}
/** Likewise n < 16 bytes, then zeros. */
L_INLINE vl l_gather_part(const uint8_t *const p[LANES], size_t at, size_t n) {
    __m128i x[LANES];
    for (int i = 0; i < LANES; i++) {
        uint8_t part[16] = {0};
        memcpy(part, p[i] + at, n);
        x[i] = _mm_loadu_si128((const __m128i *)part);
    }
    return l_join(x);
}

/** Sums of the four dwords of each lane of four vectors: lane = [a, b, c, d]. */
L_INLINE vl l_sums(vl a, vl b, vl c, vl d) {
    vl ab = l_add32(l_low32(a, b), l_high32(a, b));
    vl cd = l_add32(l_low32(c, d), l_high32(c, d));
    return l_add32(l_low64(ab, cd), l_high64(ab, cd));
}

#endif
