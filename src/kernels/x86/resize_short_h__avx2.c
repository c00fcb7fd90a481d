/* Two and four taps in 11-bit fixed point along rows: a lane is one or two output pixels.
 * Wider vectors only join more lanes, which costs more than it saves: this is the form of
 * the levels above, too. */
#include "kernels/resize.h"
#include "kernels/x86/lanes.h"

/** Outputs *from..*to-1 whose pixels from `start` on may be read as one piece of `bytes`
 * without leaving the row. */
L_INLINE void short_inside(const hst__resize_short *t, int channels, int bytes, int *from,
                           int *to) {
    int i = 0, n = t->outputs;
    while (i < n && t->start[i] < 0)
        i++;
    while (n > i &&
           (int64_t)t->start[n - 1] * channels + bytes > (int64_t)t->width * channels)
        n--;
    *from = i;
    *to = n;
}

/* ---- linear ----------------------------------------------------------------------- */

/** 2 * LANES outputs of 3 or 4 channels: lane = two pixels of four words. */
L_INLINE vl linear_pixels(const uint8_t *src, const hst__resize_short *t, int i,
                          int channels) {
    const char x = -1;
    const vl even = l_same(
        channels == 3 ? _mm_setr_epi8(0, x, 3, x, 1, x, 4, x, 2, x, 5, x, x, x, x, x)
                      : _mm_setr_epi8(0, x, 4, x, 1, x, 5, x, 2, x, 6, x, 3, x, 7, x));
    const vl odd =
        l_same(channels == 3
                   ? _mm_setr_epi8(8, x, 11, x, 9, x, 12, x, 10, x, 13, x, x, x, x, x)
                   : _mm_setr_epi8(8, x, 12, x, 9, x, 13, x, 10, x, 14, x, 11, x, 15, x));
    __m128i two[LANES], w[LANES];
    for (int k = 0; k < LANES; k++) {
        const uint8_t *a = src + (size_t)t->start[i + 2 * k] * (size_t)channels;
        const uint8_t *b = src + (size_t)t->start[i + 2 * k + 1] * (size_t)channels;
        two[k] = _mm_unpacklo_epi64(_mm_loadu_si64(a), _mm_loadu_si64(b));
        w[k] = _mm_loadu_si64(t->weight + 2 * (i + 2 * k));
    }
    vl v = l_join(two), weights = l_join(w);
    vl a = l_madd(l_shuffle(v, even), L_OP(shuffle_epi32)(weights, 0x00));
    vl b = l_madd(l_shuffle(v, odd), L_OP(shuffle_epi32)(weights, 0x55));
    return l_pack32(l_shr32(a, 4), l_shr32(b, 4));
}

/** Outputs from..to-1; writes up to 4 bytes behind them. Returns the first not made. */
L_INLINE int linear_run(const uint8_t *src, int16_t *dst, const hst__resize_short *t,
                        int channels, int from, int to) {
    const char x = -1;
    const vl dense =
        l_same(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, x, x, x, x));
    int i = from;
    for (; i + 2 * LANES <= to; i += 2 * LANES) {
        vl v = linear_pixels(src, t, i, channels);
        int16_t *d = dst + i * channels;
        if (channels == 4) {
            l_store(d, v);
            continue;
        }
        __m128i out[LANES];
        l_split(l_shuffle(v, dense), out);
        for (int k = 0; k < LANES; k++)
            _mm_storeu_si128((__m128i *)(d + 6 * k), out[k]);
    }
    return i;
}

/** Likewise of one channel; the two pixels of an output are read as a word. */
L_INLINE int linear_run_grey(const uint8_t *src, int16_t *dst, const hst__resize_short *t,
                             int from, int to) {
    int i = from;
    for (; i + 8 <= to; i += 8) {
        const int32_t *s = t->start + i;
        __m128i v = _mm_setzero_si128();
        uint16_t two[8];
        for (int k = 0; k < 8; k++)
            memcpy(&two[k], src + s[k], 2);
        v = _mm_insert_epi16(v, two[0], 0);
        v = _mm_insert_epi16(v, two[1], 1);
        v = _mm_insert_epi16(v, two[2], 2);
        v = _mm_insert_epi16(v, two[3], 3);
        v = _mm_insert_epi16(v, two[4], 4);
        v = _mm_insert_epi16(v, two[5], 5);
        v = _mm_insert_epi16(v, two[6], 6);
        v = _mm_insert_epi16(v, two[7], 7);
        __m256i w = _mm256_loadu_si256((const __m256i *)(t->weight + 2 * i));
        __m256i sum = _mm256_madd_epi16(_mm256_cvtepu8_epi16(v), w);
        sum = _mm256_srai_epi32(sum, 4);
        _mm_storeu_si128((__m128i *)(dst + i),
                         _mm_packs_epi32(_mm256_castsi256_si128(sum),
                                         _mm256_extracti128_si256(sum, 1)));
    }
    return i;
}

void hst__resize_linear_h__avx2(const uint8_t *src, int16_t *dst,
                                const hst__resize_short *t, int channels) {
    int from, to, done;
    short_inside(t, channels, channels == 1 ? 2 : 8, &from, &to);
    if (channels == 1)
        done = linear_run_grey(src, dst, t, from, to);
    else if (channels == 3)
        done = linear_run(src, dst, t, 3, from, to);
    else if (channels == 4)
        done = linear_run(src, dst, t, 4, from, to);
    else
        done = from;
    hst__resize_linear_h_part(src, dst, t, channels, 0, from);
    hst__resize_linear_h_part(src, dst, t, channels, done, t->outputs);
}

/* ---- cubic ------------------------------------------------------------------------ */

/** Outputs from..to-1 of 3 or 4 channels; writes up to 4 bytes behind them. Returns the
 * first not made. */
L_INLINE int cubic_run(const uint8_t *src, int32_t *dst, const hst__resize_short *t,
                       int channels, int from, int to) {
    const char x = -1;
    const vl first = l_same(
        channels == 3 ? _mm_setr_epi8(0, x, 3, x, 1, x, 4, x, 2, x, 5, x, x, x, x, x)
                      : _mm_setr_epi8(0, x, 4, x, 1, x, 5, x, 2, x, 6, x, 3, x, 7, x));
    const vl second =
        l_same(channels == 3
                   ? _mm_setr_epi8(6, x, 9, x, 7, x, 10, x, 8, x, 11, x, x, x, x, x)
                   : _mm_setr_epi8(8, x, 12, x, 9, x, 13, x, 10, x, 14, x, 11, x, 15, x));
    int i = from;
    for (; i + LANES <= to; i += LANES) {
        __m128i four[LANES], w[LANES];
        for (int k = 0; k < LANES; k++) {
            const uint8_t *p = src + (size_t)t->start[i + k] * (size_t)channels;
            four[k] = _mm_loadu_si128((const __m128i *)p);
            w[k] = _mm_loadu_si64(t->weight + 4 * (i + k));
        }
        vl v = l_join(four), weights = l_join(w);
        vl sum = l_madd(l_shuffle(v, first), L_OP(shuffle_epi32)(weights, 0x00));
        sum = l_dot16(sum, l_shuffle(v, second), L_OP(shuffle_epi32)(weights, 0x55));
        __m128i out[LANES];
        l_split(sum, out);
        for (int k = 0; k < LANES; k++)
            _mm_storeu_si128((__m128i *)(dst + (i + k) * channels), out[k]);
    }
    return i;
}

/** Likewise of one channel: a lane has four outputs of which each is four words. */
L_INLINE int cubic_run_grey(const uint8_t *src, int32_t *dst, const hst__resize_short *t,
                            int from, int to) {
    int i = from;
    for (; i + 4 <= to; i += 4) {
        const int32_t *s = t->start + i;
        __m128i v = _mm_loadu_si32(src + s[0]);
        __m128i b = _mm_loadu_si32(src + s[1]), d = _mm_loadu_si32(src + s[3]);
        v = _mm_unpacklo_epi64(_mm_unpacklo_epi32(v, b),
                               _mm_unpacklo_epi32(_mm_loadu_si32(src + s[2]), d));
        __m256i w = _mm256_loadu_si256((const __m256i *)(t->weight + 4 * i));
        __m256i sum = _mm256_madd_epi16(_mm256_cvtepu8_epi16(v), w);
        __m128i low = _mm256_castsi256_si128(sum),
                high = _mm256_extracti128_si256(sum, 1);
        _mm_storeu_si128((__m128i *)(dst + i), _mm_hadd_epi32(low, high));
    }
    return i;
}

void hst__resize_cubic_h__avx2(const uint8_t *src, int32_t *dst,
                               const hst__resize_short *t, int channels) {
    int from, to, done;
    short_inside(t, channels, channels == 1 ? 4 : 16, &from, &to);
    if (channels == 1)
        done = cubic_run_grey(src, dst, t, from, to);
    else if (channels == 3)
        done = cubic_run(src, dst, t, 3, from, to);
    else if (channels == 4)
        done = cubic_run(src, dst, t, 4, from, to);
    else
        done = from;
    hst__resize_cubic_h_part(src, dst, t, channels, 0, from);
    hst__resize_cubic_h_part(src, dst, t, channels, done, t->outputs);
}
