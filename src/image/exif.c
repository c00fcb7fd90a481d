/* The orientation from an EXIF block (CIPA DC-008: a TIFF structure, tag 0x0112 of the
 * first directory). Everything else in it is left alone. */
#include "image/decode.h"

typedef struct tiff {
    const uint8_t *data;
    size_t size;
    bool big; /* big-endian */
} tiff;

static unsigned get16(const tiff *t, size_t at) {
    const uint8_t *p = t->data + at;
    return t->big ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0];
}

static uint32_t get32(const tiff *t, size_t at) {
    uint32_t a = get16(t, at), b = get16(t, at + 2);
    return t->big ? a << 16 | b : b << 16 | a;
}

int hst__exif_orientation(const uint8_t *data, size_t size) {
    enum { TAG_ORIENTATION = 0x0112, ENTRY = 12, SHORT = 3, LONG = 4 };
    if (size < 8)
        return 1;
    tiff t = {data, size, data[0] == 'M'};
    if (!((data[0] == 'I' && data[1] == 'I') || (data[0] == 'M' && data[1] == 'M')) ||
        get16(&t, 2) != 42)
        return 1;
    size_t at = get32(&t, 4);
    if (at > size - 2) /* size >= 8 */
        return 1;
    size_t count = get16(&t, at), room = (size - at - 2) / ENTRY;
    at += 2;
    for (size_t i = 0; i < count && i < room; i++, at += ENTRY) {
        if (get16(&t, at) != TAG_ORIENTATION)
            continue;
        unsigned type = get16(&t, at + 2);
        uint32_t value = type == LONG ? get32(&t, at + 8) : get16(&t, at + 8);
        bool fits = (type == SHORT || type == LONG) && get32(&t, at + 4) == 1;
        return fits && value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}
