/* Boxes and labels for detections. Everything is clipped to the picture. */
#include "image/image.h"

#include "image/decode.h"
#include "image/font.h"

#include <math.h>
#include <string.h>

static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

hst__colour hst__image_colour(int index) {
    /* Hues a golden angle apart: any few in a row are far from each other. */
    double turn = (double)(unsigned)index * 0.6180339887498949 + 0.02;
    double hue = (turn - floor(turn)) * 6, part = hue - floor(hue);
    double v = 245, low = 30, up = low + (v - low) * part, down = v - (v - low) * part;
    const double rgb[6][3] = {{v, up, low},   {down, v, low}, {low, v, up},
                              {low, down, v}, {up, low, v},   {v, low, down}};
    const double *c = rgb[(int)hue % 6];
    return (hst__colour){(uint8_t)c[0], (uint8_t)c[1], (uint8_t)c[2], 255};
}

int hst__image_draw_scale(const hst__image *image) {
    int side = image->width > image->height ? image->width : image->height;
    return side < 640 ? 1 : (side + 320) / 640;
}

static uint8_t mix(uint8_t old, unsigned colour, unsigned alpha) {
    return (uint8_t)((old * (255 - alpha) + colour * alpha + 127) / 255);
}

void hst__image_fill_rect(hst__image *image, hst__image_rect rect, hst__colour colour) {
    if (image->bits != 8 || !image->data)
        return;
    int x0 = clamp(rect.x0, 0, image->width), x1 = clamp(rect.x1, 0, image->width);
    int y0 = clamp(rect.y0, 0, image->height), y1 = clamp(rect.y1, 0, image->height);
    int channels = image->channels;
    unsigned c[4] = {colour.r, colour.g, colour.b, 255};
    if (channels == 1)
        c[0] = hst__luma(colour.r, colour.g, colour.b);
    for (int y = y0; y < y1; y++) {
        uint8_t *p =
            image->data + (size_t)y * image->stride + (size_t)x0 * (size_t)channels;
        for (int x = x0; x < x1; x++, p += channels) {
            for (int k = 0; k < channels; k++)
                p[k] = mix(p[k], c[k], colour.a);
        }
    }
}

void hst__image_frame_rect(hst__image *image, hst__image_rect r, int thickness,
                           hst__colour colour) {
    if (r.x0 >= r.x1 || r.y0 >= r.y1 || thickness <= 0)
        return;
    int64_t tall = (int64_t)r.y1 - r.y0, wide = (int64_t)r.x1 - r.x0;
    if (thickness >= (tall + 1) / 2 || thickness >= (wide + 1) / 2) {
        hst__image_fill_rect(image, r, colour);
        return;
    }
    int top = r.y0 + thickness, bottom = r.y1 - thickness;
    hst__image_fill_rect(image, (hst__image_rect){r.x0, r.y0, r.x1, top}, colour);
    hst__image_fill_rect(image, (hst__image_rect){r.x0, bottom, r.x1, r.y1}, colour);
    hst__image_fill_rect(image, (hst__image_rect){r.x0, top, r.x0 + thickness, bottom},
                         colour);
    hst__image_fill_rect(image, (hst__image_rect){r.x1 - thickness, top, r.x1, bottom},
                         colour);
}

/* The glyph of the character at *text, which is moved on by its bytes. */
static const uint8_t *next_glyph(const char **text) {
    unsigned char c = (unsigned char)*(*text)++;
    if (c >= HST__FONT_FIRST && c < HST__FONT_FIRST + HST__FONT_GLYPHS - 1)
        return hst__font[c - HST__FONT_FIRST];
    if (c >= 0xc0) { /* the rest of a UTF-8 sequence belongs to it */
        while (((unsigned char)**text & 0xc0) == 0x80)
            ++*text;
    }
    return hst__font[HST__FONT_GLYPHS - 1];
}

/* Characters as next_glyph counts them, at most `most`. */
static int text_length(const char *text, int most) {
    int n = 0;
    for (; *text && n < most; n++)
        next_glyph(&text);
    return n;
}

void hst__image_draw_text(hst__image *image, int x, int y, int scale, const char *text,
                          hst__colour colour) {
    if (scale <= 0 || scale > HST__IMAGE_MAX_SIDE / HST__FONT_HEIGHT ||
        y >= image->height)
        return;
    for (; *text && x < image->width; x += HST__FONT_WIDTH * scale) {
        const uint8_t *glyph = next_glyph(&text);
        for (int row = 0; row < HST__FONT_HEIGHT; row++) {
            for (int from = 0, to; from < HST__FONT_WIDTH; from = to) { /* runs of dots */
                bool on = glyph[row] >> (7 - from) & 1;
                for (to = from + 1; to < HST__FONT_WIDTH; to++) {
                    if ((glyph[row] >> (7 - to) & 1) != on)
                        break;
                }
                hst__image_rect dot = {x + from * scale, y + row * scale, x + to * scale,
                                       y + (row + 1) * scale};
                if (on)
                    hst__image_fill_rect(image, dot, colour);
            }
        }
    }
}

/* A coordinate to whole pixels within the picture and a margin; NaN becomes 0. */
static int pixel(float v, int size) {
    if (!(v > -1e4f))
        return v <= -1e4f ? -10000 : 0;
    return v < (float)size + 1e4f ? (int)lrintf(v) : size + 10000;
}

void hst__image_draw_box(hst__image *image, float x0, float y0, float x1, float y1,
                         hst__colour colour, const char *label) {
    int scale = hst__image_draw_scale(image), thickness = 2 * scale;
    hst__image_rect box = {pixel(x0, image->width), pixel(y0, image->height),
                           pixel(x1, image->width), pixel(y1, image->height)};
    hst__image_frame_rect(image, box, thickness, colour);
    if (!label || !*label || box.x0 >= image->width || box.y0 >= image->height ||
        box.x1 <= 0 || box.y1 <= 0)
        return;
    int most = image->width / (HST__FONT_WIDTH * scale) + 1;
    int width = text_length(label, most) * HST__FONT_WIDTH * scale + 2 * scale;
    int height = (HST__FONT_HEIGHT + 1) * scale;
    /* Above the box; inside it where the picture ends; pushed left at the right edge. */
    int x = clamp(box.x0, 0, image->width > width ? image->width - width : 0);
    int y = box.y0 >= height ? box.y0 - height : clamp(box.y0, 0, image->height);
    hst__image_fill_rect(image, (hst__image_rect){x, y, x + width, y + height}, colour);
    bool bright = hst__luma(colour.r, colour.g, colour.b) > 128;
    uint8_t ink = bright ? 0 : 255;
    hst__image_draw_text(image, x + scale, y + scale, scale, label,
                         (hst__colour){ink, ink, ink, 255});
}
