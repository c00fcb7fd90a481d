/* A bitmap font of printable ASCII. */
#ifndef HST_IMAGE_FONT_H
#define HST_IMAGE_FONT_H

#include <stdint.h>

enum {
    HST__FONT_WIDTH = 8,
    HST__FONT_HEIGHT = 16,
    HST__FONT_FIRST = ' ',
    HST__FONT_GLYPHS = 96, /**< ' ' to '~', then the box for everything else */
};

/** Rows from above; bit 7 is the left column. */
extern const uint8_t hst__font[HST__FONT_GLYPHS][HST__FONT_HEIGHT];

#endif
