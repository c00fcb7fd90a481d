/* Sums in f32, product and sum each rounded, and means of whole blocks. Included once by
 * the file of each CPU level. */
#ifndef HST_KERNELS_X86_RESIZE_FLOAT_H
#define HST_KERNELS_X86_RESIZE_FLOAT_H

#include "kernels/resize.h"
#include "kernels/x86/lanes.h"
#include "kernels/x86/vec.h"

/* ---- horizontal: a lane is an output pixel ---------------------------------------- */

/** The bytes of pixel `tap` as dwords. */
L_INLINE vl float_bytes(int tap, int channels) {
    const char x = -1;
    char a = (char)(tap * channels);
    return l_same(_mm_setr_epi8(a, x, x, x, (char)(a + 1), x, x, x, (char)(a + 2), x, x,
                                x, channels == 4 ? (char)(a + 3) : x, x, x, x));
}

/** sum + weight `tap` of 0..3 of each lane's four * the pixel of that tap. */
#define FLOAT_TAP(sum, v, w, tap, channels)                                              \
    v_add(sum, v_mul(L_OP(shuffle_ps)(w, w, (tap)*0x55),                                 \
                     vi_to_float(l_shuffle(v, float_bytes(tap, channels)))))

/** LANES outputs from i on of 3 or 4 channels. Windows shorter than the longest have
 * weights of 0 behind their end, which change no sum. */
L_INLINE vf float_pixels(const uint8_t *src, const hst__resize_taps *t, int i,
                         int channels, int longest) {
    vf sum = v_zero();
    for (int k = 0; k < longest; k += 4) {
        __m128i x[LANES], y[LANES];
        for (int l = 0; l < LANES; l++) {
            size_t at = ((size_t)t->start[i + l] + (size_t)k) * (size_t)channels;
            const float *w = t->f32 + (size_t)(i + l) * (size_t)t->stride + k;
            x[l] = _mm_loadu_si128((const __m128i *)(src + at));
            y[l] = _mm_castps_si128(_mm_loadu_ps(w));
        }
        vl v = l_join(x);
        vf w = v_as_float(l_join(y));
        sum = FLOAT_TAP(sum, v, w, 0, channels);
        sum = FLOAT_TAP(sum, v, w, 1, channels);
        sum = FLOAT_TAP(sum, v, w, 2, channels);
        sum = FLOAT_TAP(sum, v, w, 3, channels);
    }
    return sum;
}

L_INLINE int float_longest(const hst__resize_taps *t, int i) {
    int longest = 0;
    for (int l = 0; l < LANES; l++)
        longest = t->count[i + l] > longest ? t->count[i + l] : longest;
    return longest;
}

/** Returns the first output not made; writes up to 4 bytes behind the others. */
L_INLINE int float_run(const uint8_t *src, float *dst, const hst__resize_taps *t,
                       int channels) {
    int i = 0;
    for (; i + LANES <= t->outputs; i += LANES) {
        int longest = float_longest(t, i);
        int64_t last = t->start[i + LANES - 1] + (longest - 1) / 4 * 4;
        if (last * channels + 16 > (int64_t)t->width * channels)
            break;
        __m128i out[LANES];
        l_split(v_as_int(float_pixels(src, t, i, channels, longest)), out);
        for (int l = 0; l < LANES; l++)
            _mm_storeu_si128((__m128i *)(dst + (i + l) * channels), out[l]);
    }
    return i;
}

static void float_h_u8(const uint8_t *src, float *dst, const hst__resize_taps *t,
                       int channels) {
    int done = 0;
    if (channels == 3)
        done = float_run(src, dst, t, 3);
    else if (channels == 4)
        done = float_run(src, dst, t, 4);
    hst__resize_float_h_u8_part(src, dst, t, channels, done, t->outputs);
}

/* ---- vertical --------------------------------------------------------------------- */

/** VN outputs from i on, rounded. */
L_INLINE vl float_column(const float *const *rows, size_t i, const float *w, int count) {
    vf sum = v_mul(v_load(rows[0] + i), v_set(w[0]));
    for (int k = 1; k < count; k++)
        sum = v_add(sum, v_mul(v_load(rows[k] + i), v_set(w[k])));
    return v_to_int(sum);
}

L_INLINE vl float_columns_u8(const float *const *rows, size_t i, const float *w,
                             int count) {
    vl v[4];
    for (size_t k = 0; k < 4; k++)
        v[k] = float_column(rows, i + k * VN, w, count);
    return l_order32(l_pack16(l_pack32(v[0], v[1]), l_pack32(v[2], v[3])));
}

static void float_v_u8(const float *const *rows, uint8_t *dst, size_t n,
                       const hst__resize_taps *t, int output) {
    enum { STEP = 4 * VN };
    const float *w = t->f32 + (size_t)output * (size_t)t->stride;
    int count = t->count[output];
    if (n < STEP) {
        hst__resize_float_v_u8__ref(rows, dst, n, t, output);
        return;
    }
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        l_store(dst + i, float_columns_u8(rows, i, w, count));
    if (i < n) {
        i = n - STEP;
        l_store(dst + i, float_columns_u8(rows, i, w, count));
    }
}

L_INLINE vl float_columns_u16(const float *const *rows, size_t i, const float *w,
                              int count) {
    vl low = float_column(rows, i, w, count);
    vl high = float_column(rows, i + VN, w, count);
    return l_order64(L_OP(packus_epi32)(low, high));
}

static void float_v_u16(const float *const *rows, uint16_t *dst, size_t n,
                        const hst__resize_taps *t, int output) {
    enum { STEP = 2 * VN };
    const float *w = t->f32 + (size_t)output * (size_t)t->stride;
    int count = t->count[output];
    if (n < STEP) {
        hst__resize_float_v_u16__ref(rows, dst, n, t, output);
        return;
    }
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        l_store(dst + i, float_columns_u16(rows, i, w, count));
    if (i < n) {
        i = n - STEP;
        l_store(dst + i, float_columns_u16(rows, i, w, count));
    }
}

/* ---- area ------------------------------------------------------------------------- */

enum { AREA_STEP = LBYTES / 2, AREA_ROWS = 65535 / 255 };

/** AREA_STEP sums from i on. */
L_INLINE void area_column(const uint8_t *const *rows, int count, uint32_t *sum,
                          size_t i) {
    vl s = l_zero();
    for (int k = 0; k < count; k++)
        s = l_add16(s, l_widen8(rows[k] + i));
    l_store(sum + i, l_widen16(l_half(s, 0)));
    l_store(sum + i + AREA_STEP / 2, l_widen16(l_half(s, 1)));
}

static void area_sum(const uint8_t *const *rows, int count, uint32_t *sum, size_t n) {
    if (n < AREA_STEP || count > AREA_ROWS) {
        hst__resize_area_sum__ref(rows, count, sum, n);
        return;
    }
    size_t i = 0;
    for (; i + AREA_STEP <= n; i += AREA_STEP)
        area_column(rows, count, sum, i);
    if (i < n)
        area_column(rows, count, sum, n - AREA_STEP);
}

/** Rounded means, in words, of bytes that stand beside each other after a shuffle by
 * `pairs`, over both rows. */
L_INLINE vl area_fours(const uint8_t *const a[LANES], const uint8_t *const b[LANES],
                       vl pairs) {
    vl one = L_OP(set1_epi8)(1);
    vl x = L_OP(maddubs_epi16)(l_shuffle(l_gather(a, 0), pairs), one);
    vl y = L_OP(maddubs_epi16)(l_shuffle(l_gather(b, 0), pairs), one);
    return l_shr16(l_add16(l_add16(x, y), l_set16(2)), 2);
}

/** Pixels of a lane: 16 bytes of 1, 3 or 4 channels make 8, 2 or 2 outputs. */
L_INLINE int area_run(const uint8_t *a, const uint8_t *b, uint8_t *dst, int outputs,
                      int channels) {
    const char x = -1;
    const vl pairs =
        l_same(channels == 1
                   ? _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
               : channels == 3
                   ? _mm_setr_epi8(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11, x, x, x, x)
                   : _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
    const int lane = channels == 1 ? 8 : 2;
    size_t made = (size_t)(lane * channels); /* bytes of a lane's outputs */
    int i = 0;
    /* A lane reads 16 bytes and writes 8, which may be more than its own. */
    for (; i + LANES * lane + (channels == 3) <= outputs; i += LANES * lane) {
        const uint8_t *pa[LANES], *pb[LANES];
        size_t at = (size_t)(i * channels);
        for (size_t l = 0; l < LANES; l++) {
            pa[l] = a + 2 * (at + l * made);
            pb[l] = b + 2 * (at + l * made);
        }
        vl v = area_fours(pa, pb, pairs);
        __m128i out[LANES];
        l_split(l_pack16(v, v), out);
        for (size_t l = 0; l < LANES; l++)
            _mm_storeu_si64(dst + at + l * made, out[l]);
    }
    return i;
}

static void area_2x2(const uint8_t *a, const uint8_t *b, uint8_t *dst, int outputs,
                     int channels) {
    int done = 0;
    if (channels == 1)
        done = area_run(a, b, dst, outputs, 1);
    else if (channels == 3)
        done = area_run(a, b, dst, outputs, 3);
    else if (channels == 4)
        done = area_run(a, b, dst, outputs, 4);
    size_t at = (size_t)(done * channels);
    hst__resize_area_2x2__ref(a + 2 * at, b + 2 * at, dst + at, outputs - done, channels);
}

#endif
