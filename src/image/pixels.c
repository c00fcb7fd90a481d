/* Forms of samples: depth, alpha, grey, CMYK, and the eight orientations. */
#include "image/decode.h"

#include "base/memory.h"

#include <string.h>

/* ---- narrowing ------------------------------------------------------------------ */

/* round(a * b / 255) of bytes, exact. */
static unsigned mul255(unsigned a, unsigned b) {
    unsigned t = a * b + 128;
    return ((t >> 8) + t) >> 8;
}

/* Sample i of a pixel as 16 bits. */
static unsigned load(const uint8_t *p, int bits, int i) {
    if (bits == 8)
        return p[i];
    uint16_t v;
    memcpy(&v, p + 2 * i, 2);
    return v;
}

static void store(uint8_t *p, int bits, int i, unsigned v) {
    if (bits == 8) {
        p[i] = (uint8_t)v;
        return;
    }
    uint16_t w = (uint16_t)v;
    memcpy(p + 2 * i, &w, 2);
}

void hst__pixel_store(uint8_t *p, int channels, int bits, const unsigned c[4]) {
    if (channels == 1) {
        bool grey = c[0] == c[1] && c[1] == c[2];
        store(p, bits, 0, grey ? c[0] : hst__luma(c[0], c[1], c[2]));
        return;
    }
    for (int k = 0; k < channels; k++)
        store(p, bits, k, c[k]);
}

/* v over a background, alpha in 0..max. */
static unsigned blend(unsigned v, unsigned back, unsigned alpha, unsigned max) {
    return (unsigned)(((uint64_t)v * alpha + (uint64_t)back * (max - alpha) + max / 2) /
                      max);
}

/* The colour of a pixel as r, g, b, a in the depth of `from`; a grey one has r = g = b.
 */
static void read_pixel(const uint8_t *p, hst__pixels from, unsigned c[4]) {
    unsigned max = from.bits == 8 ? 255 : 65535;
    if (from.cmyk) { /* Adobe's convention, 0 is full ink, as Pillow and OpenCV assume */
        for (int i = 0; i < 3; i++)
            c[i] = p[3] - mul255(255u - p[i], p[3]);
        c[3] = max;
        return;
    }
    bool grey = from.channels < 3;
    for (int i = 0; i < 3; i++)
        c[i] = load(p, from.bits, grey ? 0 : i);
    c[3] = from.channels % 2 ? max : load(p, from.bits, from.channels - 1);
}

void hst__pixels_narrow(void *p, size_t n, hst__pixels from, int channels, int bits,
                        const uint8_t background[3]) {
    const uint8_t *in = p;
    uint8_t *out = p;
    size_t in_step = (size_t)(from.channels * from.bits / 8);
    size_t out_step = (size_t)(channels * bits / 8);
    unsigned max = from.bits == 8 ? 255 : 65535, unit = max / 255;
    int shift = from.bits - bits;
    bool alpha = from.channels % 2 == 0 && !from.cmyk;
    if (from.channels == channels && !from.cmyk && shift == 8 && !(alpha && background)) {
        for (size_t i = 0; i < n * (size_t)channels; i++) /* high bytes alone */
            out[i] = (uint8_t)(load(in + 2 * i, 16, 0) >> 8);
        return;
    }
    for (size_t i = 0; i < n; i++, in += in_step, out += out_step) {
        unsigned c[4];
        read_pixel(in, from, c);
        if (alpha && background && channels != 4) {
            for (int k = 0; k < 3; k++)
                c[k] = blend(c[k], background[k] * unit, c[3], max);
        }
        for (int k = 0; k < 4; k++)
            c[k] >>= shift;
        hst__pixel_store(out, channels, bits, c);
    }
}

/* ---- orientation ---------------------------------------------------------------- */

static void swap_pixels(uint8_t *a, uint8_t *b, size_t bytes) {
    uint8_t t[8];
    memcpy(t, a, bytes);
    memcpy(a, b, bytes);
    memcpy(b, t, bytes);
}

static void mirror_row(uint8_t *row, size_t width, size_t pixel) {
    for (size_t i = 0, j = width - 1; i < j; i++, j--)
        swap_pixels(row + i * pixel, row + j * pixel, pixel);
}

static void flip_rows(uint8_t *p, size_t height, size_t row) {
    uint8_t t[256];
    for (size_t i = 0, j = height - 1; i < j; i++, j--) {
        uint8_t *a = p + i * row, *b = p + j * row;
        for (size_t k = 0, m; k < row; k += m) {
            m = row - k < sizeof t ? row - k : sizeof t;
            memcpy(t, a + k, m);
            memcpy(a + k, b + k, m);
            memcpy(b + k, t, m);
        }
    }
}

/* to[i][j] = from[j][i] with i and j counted backwards where asked for, in square tiles
 * so that both sides stay in the first cache. `pixel` is a constant where this is
 * inlined. */
static inline void transpose(const uint8_t *from, uint8_t *to, size_t width,
                             size_t height, size_t pixel, bool back_x, bool back_y) {
    enum { TILE = 32 };
    for (size_t i0 = 0; i0 < width; i0 += TILE) {
        size_t i1 = width - i0 < TILE ? width : i0 + TILE;
        for (size_t j0 = 0; j0 < height; j0 += TILE) {
            size_t j1 = height - j0 < TILE ? height : j0 + TILE;
            for (size_t i = i0; i < i1; i++) {
                size_t x = back_x ? width - 1 - i : i;
                for (size_t j = j0; j < j1; j++) {
                    size_t y = back_y ? height - 1 - j : j;
                    memcpy(to + (i * height + j) * pixel, from + (y * width + x) * pixel,
                           pixel);
                }
            }
        }
    }
}

void hst__pixels_orient(const uint8_t *from, uint8_t *to, int width, int height,
                        int pixel, int orientation) {
    size_t w = (size_t)width, h = (size_t)height, bytes = (size_t)pixel;
    if (orientation == 2 || orientation == 3) {
        for (size_t y = 0; y < h; y++)
            mirror_row(to + y * w * bytes, w, bytes);
    }
    if (orientation == 3 || orientation == 4)
        flip_rows(to, h, w * bytes);
    if (orientation < 5)
        return;
    bool back_x = orientation == 7 || orientation == 8;
    bool back_y = orientation == 6 || orientation == 7;
    switch (pixel) {
    case 1:
        transpose(from, to, w, h, 1, back_x, back_y);
        break;
    case 3:
        transpose(from, to, w, h, 3, back_x, back_y);
        break;
    default:
        transpose(from, to, w, h, bytes, back_x, back_y);
    }
}
