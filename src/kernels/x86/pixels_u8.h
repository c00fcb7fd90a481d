/* Rows of u8 pixels to tensors; included once by the file of each CPU level. */
#ifndef HST_KERNELS_X86_PIXELS_U8_H
#define HST_KERNELS_X86_PIXELS_U8_H

#include "kernels/pixels.h"
#include "kernels/x86/lanes.h"
#include "kernels/x86/vec.h"

/* ---- interleaved ------------------------------------------------------------------- */

/** VN bytes as floats. */
L_INLINE vf pixels_load(const uint8_t *p) {
#if defined(__AVX512F__)
    return vi_to_float(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)));
#else
    return vi_to_float(_mm256_cvtepu8_epi32(_mm_loadu_si64(p)));
#endif
}

static void pattern(const uint8_t *src, float *dst, size_t n,
                    const float a[HST__PIXELS_PATTERN],
                    const float b[HST__PIXELS_PATTERN]) {
    enum { STEP = HST__PIXELS_PATTERN };
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (size_t k = 0; k < STEP; k += VN)
            v_store(dst + i + k,
                    v_add(v_mul(pixels_load(src + i + k), v_load(a + k)), v_load(b + k)));
    if (i < n) {
        uint8_t part[STEP] = {0};
        memcpy(part, src + i, n - i);
        for (size_t k = 0; k < n - i; k += VN) {
            size_t left = n - i - k < VN ? n - i - k : VN;
            v_store_part(
                dst + i + k, left,
                v_add(v_mul(pixels_load(part + k), v_load(a + k)), v_load(b + k)));
        }
    }
}

/* ---- three planes ------------------------------------------------------------------ */

/** VN pixels of three bytes: lane = four of them, from byte planes_at(lane) on. */
L_INLINE vl planes_load(const uint8_t *p) {
#if defined(__AVX512F__)
    const __m512i spread =
        _mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    return _mm512_permutexvar_epi32(spread, _mm512_maskz_loadu_epi32(0x0fff, p));
#else
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)),
        _mm_loadu_si128((const __m128i *)(p + 8)), 1);
#endif
}

/** Where the bytes of channel c lie, as dwords. */
L_INLINE vl planes_bytes(char c) {
    const char x = -1;
    const __m128i first =
        _mm_setr_epi8(c, x, x, x, c + 3, x, x, x, c + 6, x, x, x, c + 9, x, x, x);
#if defined(__AVX512F__)
    return l_same(first);
#else
    const __m128i second =
        _mm_setr_epi8(c + 4, x, x, x, c + 7, x, x, x, c + 10, x, x, x, c + 13, x, x, x);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
#endif
}

/** VN pixels of which n are stored. */
L_INLINE void planes_block(const uint8_t *p, float *const dst[3], size_t i, size_t n,
                           const vf a[3], const vf b[3]) {
    vl v = planes_load(p);
    for (int c = 0; c < 3; c++) {
        vf x = vi_to_float(l_shuffle(v, planes_bytes((char)c)));
        v_store_part(dst[c] + i, n, v_add(v_mul(x, a[c]), b[c]));
    }
}

static void planar3(const uint8_t *src, float *const dst[3], size_t n, const float a[3],
                    const float b[3]) {
    const vf va[3] = {v_set(a[0]), v_set(a[1]), v_set(a[2])};
    const vf vb[3] = {v_set(b[0]), v_set(b[1]), v_set(b[2])};
    size_t i = 0;
    for (; i + VN <= n; i += VN)
        planes_block(src + 3 * i, dst, i, VN, va, vb);
    if (i < n) {
        uint8_t part[3 * VN] = {0};
        memcpy(part, src + 3 * i, 3 * (n - i));
        planes_block(part, dst, i, n - i, va, vb);
    }
}

/** Where the 16 bytes of channel c come from in piece `piece` of 16 of 48 bytes. */
L_INLINE vl split_bytes(int c, int piece) {
    char at[16];
    for (int i = 0; i < 16; i++) {
        int from = 3 * i + c - 16 * piece;
        at[i] = (char)(from >= 0 && from < 16 ? from : -1);
    }
    return l_same(_mm_loadu_si128((const __m128i *)at));
}

static void split3(const uint8_t *src, uint8_t *const dst[3], size_t n) {
    size_t i = 0;
    for (; i + LBYTES <= n; i += LBYTES) {
        const uint8_t *p[LANES];
        for (size_t l = 0; l < LANES; l++)
            p[l] = src + 3 * (i + 16 * l);
        vl x = l_gather(p, 0), y = l_gather(p, 16), z = l_gather(p, 32);
        for (int c = 0; c < 3; c++) {
            vl v = l_or(l_shuffle(x, split_bytes(c, 0)), l_shuffle(y, split_bytes(c, 1)));
            l_store(dst[c] + i, l_or(v, l_shuffle(z, split_bytes(c, 2))));
        }
    }
    uint8_t *const rest[3] = {dst[0] + i, dst[1] + i, dst[2] + i};
    hst__pixels_split3__ref(src + 3 * i, rest, n - i);
}

/* ---- order of channels ------------------------------------------------------------- */

static void reverse3(const uint8_t *src, uint8_t *dst, size_t n) {
    const __m128i order =
        _mm_setr_epi8(2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 15);
    size_t i = 0;
    for (; i + 6 <= n; i += 5) { /* 16 bytes, the last of which is written again */
        __m128i v = _mm_loadu_si128((const __m128i *)(src + 3 * i));
        _mm_storeu_si128((__m128i *)(dst + 3 * i), _mm_shuffle_epi8(v, order));
    }
    hst__pixels_reverse3__ref(src + 3 * i, dst + 3 * i, n - i);
}

#define PIXELS_KERNELS                                                                   \
    { .pattern = pattern, .planar3 = planar3, .split3 = split3, .reverse3 = reverse3 }

#endif
