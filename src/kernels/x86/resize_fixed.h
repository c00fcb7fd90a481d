/* Sums in 22-bit fixed point: a weight is high * 2^15 + low, so that two products of
 * words give the product modulo 2^32. Included once by the file of each CPU level. */
#ifndef HST_KERNELS_X86_RESIZE_FIXED_H
#define HST_KERNELS_X86_RESIZE_FIXED_H

#include "kernels/resize.h"
#include "kernels/x86/lanes.h"

typedef struct fixed_sum {
    vl low, high;
} fixed_sum;

L_INLINE fixed_sum fixed_zero(void) { return (fixed_sum){l_zero(), l_zero()}; }

L_INLINE void fixed_add(fixed_sum *s, vl pairs, vl low, vl high) {
    s->low = l_dot16(s->low, pairs, low);
    s->high = l_dot16(s->high, pairs, high);
}

L_INLINE vl fixed_total(fixed_sum s) { return l_add32(s.low, l_shl32(s.high, 15)); }

L_INLINE vl fixed_round(vl total) {
    vl half = l_set32(1 << (HST__RESIZE_FIXED_BITS - 1));
    return l_shr32(l_add32(total, half), HST__RESIZE_FIXED_BITS);
}

/** Four vectors of dwords to bytes. */
L_INLINE vl fixed_pack(vl a, vl b, vl c, vl d) {
    return l_pack16(l_pack32(a, b), l_pack32(c, d));
}

/* ---- horizontal: a lane is a row -------------------------------------------------- */

/** Output i of LANES rows of 3 or 4 channels: lane = [r, g, b, -]. `room` is how many
 * bytes of a row lie behind the first pixel of the window. */
L_INLINE vl pixel_sums(const uint8_t *const rows[LANES], const hst__resize_taps *t, int i,
                       int channels, bool whole) {
    const char x = -1; /* a zero */
    const vl first = l_same(
        channels == 3 ? _mm_setr_epi8(0, x, 3, x, 1, x, 4, x, 2, x, 5, x, x, x, x, x)
                      : _mm_setr_epi8(0, x, 4, x, 1, x, 5, x, 2, x, 6, x, 3, x, 7, x));
    const vl second =
        l_same(channels == 3
                   ? _mm_setr_epi8(6, x, 9, x, 7, x, 10, x, 8, x, 11, x, x, x, x, x)
                   : _mm_setr_epi8(8, x, 12, x, 9, x, 13, x, 10, x, 14, x, 11, x, 15, x));
    size_t c = (size_t)channels, at = (size_t)t->start[i] * c, end = (size_t)t->width * c;
    const int16_t *low = t->low + (size_t)i * (size_t)t->stride;
    const int16_t *high = t->high + (size_t)i * (size_t)t->stride;
    fixed_sum s = fixed_zero();
    for (int k = 0; k < t->count[i]; k += 4, at += 4 * c) {
        vl v = whole || end - at >= 16 ? l_gather(rows, at)
                                       : l_gather_part(rows, at, end - at);
        fixed_add(&s, l_shuffle(v, first), l_pair(low + k), l_pair(high + k));
        fixed_add(&s, l_shuffle(v, second), l_pair(low + k + 2), l_pair(high + k + 2));
    }
    return fixed_round(fixed_total(s));
}

/** Likewise of one channel; the sums of a lane's dwords are the output. */
L_INLINE vl grey_sums(const uint8_t *const rows[LANES], const hst__resize_taps *t, int i,
                      bool whole) {
    size_t at = (size_t)t->start[i], end = (size_t)t->width;
    const int16_t *low = t->low + (size_t)i * (size_t)t->stride;
    const int16_t *high = t->high + (size_t)i * (size_t)t->stride;
    fixed_sum s = fixed_zero();
    for (int k = 0; k < t->count[i]; k += 16, at += 16) {
        vl v = whole || end - at >= 16 ? l_gather(rows, at)
                                       : l_gather_part(rows, at, end - at);
        fixed_add(&s, l_low8(v, l_zero()),
                  l_same(_mm_loadu_si128((const __m128i *)(low + k))),
                  l_same(_mm_loadu_si128((const __m128i *)(high + k))));
        if (k + 8 < t->count[i])
            fixed_add(&s, l_high8(v, l_zero()),
                      l_same(_mm_loadu_si128((const __m128i *)(low + k + 8))),
                      l_same(_mm_loadu_si128((const __m128i *)(high + k + 8))));
    }
    return fixed_total(s);
}

/** Four outputs from i on, of which n are wanted: 4 * channels bytes a lane. */
L_INLINE vl fixed_four(const uint8_t *const rows[LANES], const hst__resize_taps *t, int i,
                       int n, int channels, bool whole) {
    const char x = -1;
    vl s[4];
    for (int k = 0; k < 4; k++) {
        int o = k < n ? i + k : i;
        s[k] = channels == 1 ? grey_sums(rows, t, o, whole)
                             : pixel_sums(rows, t, o, channels, whole);
    }
    if (channels == 1) {
        vl sum = fixed_round(l_sums(s[0], s[1], s[2], s[3]));
        return fixed_pack(sum, sum, sum, sum);
    }
    vl v = fixed_pack(s[0], s[1], s[2], s[3]);
    return channels == 4 ? v
                         : l_shuffle(v, l_same(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10,
                                                             12, 13, 14, x, x, x, x)));
}

L_INLINE void fixed_put(__m128i v, uint8_t *to, int channels) {
    if (channels == 1) {
        _mm_storeu_si32(to, v);
    } else if (channels == 3) {
        _mm_storeu_si64(to, v);
        _mm_storeu_si32(to + 8, _mm_srli_si128(v, 8));
    } else {
        _mm_storeu_si128((__m128i *)to, v);
    }
}

/** How many outputs, a multiple of 4, surely read 16 bytes from every step of their
 * window without leaving the row. */
L_INLINE int fixed_inside(const hst__resize_taps *t, int channels) {
    int reach = channels == 1   ? (t->stride + 15) / 16 * 16
                : channels == 3 ? t->stride + 2
                                : t->stride;
    int n = t->outputs / 4 * 4;
    while (n > 0 && t->start[n - 1] > t->width - reach)
        n -= 4;
    return n;
}

L_INLINE void fixed_rows(const uint8_t *const rows[LANES], uint8_t *const dst[LANES],
                         const hst__resize_taps *t, int channels, int inside) {
    __m128i out[LANES];
    size_t c = (size_t)channels;
    int i = 0;
    for (; i < inside; i += 4) {
        l_split(fixed_four(rows, t, i, 4, channels, true), out);
        for (int r = 0; r < LANES; r++)
            fixed_put(out[r], dst[r] + (size_t)i * c, channels);
    }
    for (; i < t->outputs; i += 4) {
        int n = t->outputs - i < 4 ? t->outputs - i : 4;
        l_split(fixed_four(rows, t, i, n, channels, false), out);
        for (int r = 0; r < LANES; r++) {
            uint8_t part[16];
            _mm_storeu_si128((__m128i *)part, out[r]);
            memcpy(dst[r] + (size_t)i * c, part, (size_t)n * c);
        }
    }
}

static void fixed_h(const uint8_t *const *src, uint8_t *const *dst, int rows,
                    const hst__resize_taps *t, int channels) {
    if (channels == 2) {
        hst__resize_fixed_h__ref(src, dst, rows, t, channels);
        return;
    }
    int inside = fixed_inside(t, channels);
    for (int r = 0; r < rows; r += LANES) {
        const uint8_t *from[LANES];
        uint8_t *to[LANES];
        for (int k = 0; k < LANES; k++) { /* lanes to spare do the last row again */
            from[k] = src[r + k < rows ? r + k : rows - 1];
            to[k] = dst[r + k < rows ? r + k : rows - 1];
        }
        if (channels == 1)
            fixed_rows(from, to, t, 1, inside);
        else if (channels == 3)
            fixed_rows(from, to, t, 3, inside);
        else
            fixed_rows(from, to, t, 4, inside);
    }
}

/* ---- vertical --------------------------------------------------------------------- */

/** LBYTES bytes from `at` on. */
L_INLINE vl fixed_column(const uint8_t *const *rows, size_t at, const int16_t *low,
                         const int16_t *high, int count) {
    fixed_sum s[4] = {fixed_zero(), fixed_zero(), fixed_zero(), fixed_zero()};
    for (int k = 0; k < count; k += 2) { /* behind an odd count lies a weight of 0 */
        vl a = l_load(rows[k] + at), b = l_load(rows[k + 1 < count ? k + 1 : k] + at);
        vl ab = l_low8(a, b), wl = l_pair(low + k), wh = l_pair(high + k);
        fixed_add(&s[0], l_low8(ab, l_zero()), wl, wh);
        fixed_add(&s[1], l_high8(ab, l_zero()), wl, wh);
        ab = l_high8(a, b);
        fixed_add(&s[2], l_low8(ab, l_zero()), wl, wh);
        fixed_add(&s[3], l_high8(ab, l_zero()), wl, wh);
    }
    vl total[4];
    for (int i = 0; i < 4; i++)
        total[i] = fixed_round(fixed_total(s[i]));
    return fixed_pack(total[0], total[1], total[2], total[3]);
}

static void fixed_v(const uint8_t *const *rows, uint8_t *dst, size_t bytes,
                    const hst__resize_taps *t, int output) {
    const int16_t *low = t->low + (size_t)output * (size_t)t->stride;
    const int16_t *high = t->high + (size_t)output * (size_t)t->stride;
    int count = t->count[output];
    size_t i = 0;
    if (bytes < LBYTES) {
        hst__resize_fixed_v__ref(rows, dst, bytes, t, output);
        return;
    }
    for (; i + LBYTES <= bytes; i += LBYTES)
        l_store(dst + i, fixed_column(rows, i, low, high, count));
    if (i < bytes) {
        i = bytes - LBYTES;
        l_store(dst + i, fixed_column(rows, i, low, high, count));
    }
}

#endif
