/* Windows and OS/2 bitmaps: 1, 4, 8, 16, 24 and 32 bits, bit fields, RLE4 and RLE8, rows
 * from below or from above. Layouts: Microsoft's BITMAPINFOHEADER to BITMAPV5HEADER. */
#include "image/decode.h"

#include "base/status.h"

#include <string.h>

enum { RGB = 0, RLE8 = 1, RLE4 = 2, BITFIELDS = 3, ALPHABITFIELDS = 6 };
enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40 };

typedef struct bmp {
    const uint8_t *bytes;
    size_t size, pixels; /* pixels: where they start */
    unsigned width, height;
    unsigned bits, compression;
    bool from_above;         /* the first row stored is the top one */
    uint32_t mask[4];        /* red, green, blue, alpha of 16 and 32 bits */
    uint8_t palette[256][4]; /* r, g, b, 255; what the file lacks is black */
    bool grey;               /* every palette entry has r = g = b */
} bmp;

static uint32_t get16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t get32(const uint8_t *p) { return get16(p) | get16(p + 2) << 16; }

static hst_status truncated(hst_error *err, const char *where) {
    return hst__fail(err, HST_E_FORMAT, "BMP: truncated: the file ends within its %s",
                     where);
}

/* Bits, compression and their combination. */
static hst_status check_form(const bmp *b, hst_error *err) {
    unsigned bits = b->bits;
    if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "BMP: %u bits a pixel; 1, 4, 8, 16, 24 and 32 are read", bits);
    bool fits;
    switch (b->compression) {
    case RGB:
        fits = true;
        break;
    case RLE8:
    case RLE4:
        fits = bits == (b->compression == RLE8 ? 8 : 4) && !b->from_above;
        break;
    case BITFIELDS:
    case ALPHABITFIELDS:
        fits = bits == 16 || bits == 32;
        break;
    default:
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "BMP: compression %u; none, RLE4, RLE8 and bit fields are read",
                         b->compression);
    }
    if (!fits)
        return hst__fail(err, HST_E_FORMAT,
                         "BMP: compression %u does not go with %u bits%s", b->compression,
                         bits, b->from_above ? " and rows from above" : "");
    return HST_OK;
}

/* Masks of 16- and 32-bit pixels; header is the info header's size. */
static hst_status read_masks(bmp *b, uint32_t header, hst_error *err) {
    if (b->compression == RGB) {
        bool deep = b->bits == 32;
        for (int i = 0; i < 3; i++)
            b->mask[i] = deep ? 0xffu << (16 - 8 * i) : 0x1fu << (10 - 5 * i);
        return HST_OK;
    }
    /* They follow the old header or are part of the longer ones, in the same place. */
    const uint8_t *p = b->bytes + FILE_HEADER + INFO_HEADER;
    unsigned n = b->compression == ALPHABITFIELDS || header >= 56 ? 4 : 3;
    if (b->size < FILE_HEADER + INFO_HEADER + 4u * n)
        return truncated(err, "masks");
    for (unsigned i = 0; i < n; i++) {
        uint32_t m = b->mask[i] = get32(p + 4 * i);
        uint32_t low =
            m & (0u - m); /* contiguous: adding the lowest bit clears them all */
        if ((m && (m & (m + low))) || (b->bits == 16 && m > 0xffff))
            return hst__fail(err, HST_E_FORMAT,
                             "BMP: colour mask %08x is not a run of bits", (unsigned)m);
    }
    return HST_OK;
}

static void read_palette(bmp *b, size_t at, uint32_t used, size_t entry) {
    size_t n = (size_t)1 << b->bits, room = (b->size - at) / entry;
    if (b->pixels > at && (b->pixels - at) / entry < room)
        room = (b->pixels - at) / entry; /* the pixels end the palette in any case */
    if (used && used < n)
        n = used;
    n = n < room ? n : room;
    b->grey = true;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = b->bytes + at + i * entry;
        for (int k = 0; k < 3; k++)
            b->palette[i][k] = p[2 - k];
        if (p[0] != p[1] || p[1] != p[2])
            b->grey = false;
    }
    for (size_t i = 0; i < 256; i++)
        b->palette[i][3] = 255;
}

static hst_status open_bmp(bmp *b, const uint8_t *bytes, size_t size, hst_error *err) {
    *b = (bmp){.bytes = bytes, .size = size};
    if (size < FILE_HEADER + CORE_HEADER)
        return truncated(err, "header");
    b->pixels = get32(bytes + 10);
    const uint8_t *p = bytes + FILE_HEADER;
    uint32_t header = get32(p), used = 0;
    if (header != CORE_HEADER && (header < INFO_HEADER || header > 1024))
        return hst__fail(err, HST_E_UNSUPPORTED, "BMP: a header of %u bytes is not known",
                         (unsigned)header);
    size_t at = FILE_HEADER + header;
    if (at > size)
        return truncated(err, "header");
    if (header == CORE_HEADER) {
        b->width = get16(p + 4);
        b->height = get16(p + 6);
        b->bits = get16(p + 10);
    } else {
        int32_t height = (int32_t)get32(p + 8);
        b->width = get32(p + 4);
        b->height = height < 0 ? 0u - (uint32_t)height : (uint32_t)height;
        b->from_above = height < 0;
        b->bits = get16(p + 14);
        b->compression = get32(p + 16);
        used = get32(p + 32);
    }
    if (b->width == 0 || b->height == 0)
        return hst__fail(err, HST_E_FORMAT, "BMP: a picture of %u x %u pixels", b->width,
                         b->height);
    if (b->width > HST__IMAGE_MAX_SIDE || b->height > HST__IMAGE_MAX_SIDE)
        return hst__fail(err, HST_E_LIMIT,
                         "BMP: a picture of %u x %u pixels; a side is at "
                         "most %d",
                         b->width, b->height, (int)HST__IMAGE_MAX_SIDE);
    hst_status s = check_form(b, err);
    if (s)
        return s;
    if (b->bits <= 8)
        read_palette(b, at, used, header == CORE_HEADER ? 3 : 4);
    else if (b->bits != 24)
        s = read_masks(b, header, err);
    if (!s && (b->pixels < FILE_HEADER + CORE_HEADER || b->pixels > size))
        return hst__fail(err, HST_E_FORMAT,
                         "BMP: the pixels are said to start at byte %zu "
                         "of %zu",
                         b->pixels, size);
    return s;
}

static int stored_channels(const bmp *b) {
    if (b->bits <= 8)
        return b->grey ? 1 : 3;
    return b->mask[3] ? 4 : 3;
}

hst_status hst__bmp_probe(const uint8_t *bytes, size_t size, hst__image_info *info,
                          hst_error *err) {
    bmp b;
    hst_status s = open_bmp(&b, bytes, size, err);
    if (s)
        return s;
    info->width = (int)b.width;
    info->height = (int)b.height;
    info->channels = stored_channels(&b);
    info->bits = 8;
    return HST_OK;
}

/* ---- pixels ---------------------------------------------------------------------- */

static unsigned field(uint32_t pixel, uint32_t mask) {
    if (!mask)
        return 0;
    unsigned shift = (unsigned)__builtin_ctz(mask);
    return (unsigned)((uint64_t)((pixel & mask) >> shift) * 255 / (mask >> shift));
}

/* Pixel x of a stored row as r, g, b, a. */
static void get_pixel(const bmp *b, const uint8_t *row, size_t x, unsigned c[4]) {
    if (b->bits <= 8) {
        unsigned at = (unsigned)x * b->bits, index = row[at / 8];
        index = index >> (8 - b->bits - at % 8) & ((1u << b->bits) - 1);
        for (int k = 0; k < 4; k++)
            c[k] = b->palette[index][k];
        return;
    }
    if (b->bits == 24) {
        for (int k = 0; k < 3; k++)
            c[k] = row[3 * x + 2 - (size_t)k];
        c[3] = 255;
        return;
    }
    uint32_t v = b->bits == 16 ? get16(row + 2 * x) : get32(row + 4 * x);
    for (int k = 0; k < 4; k++)
        c[k] = field(v, b->mask[k]);
    if (!b->mask[3])
        c[3] = 255;
}

/* The forms cameras and editors write, without a call a pixel; false for the others. */
static bool get_row(const bmp *b, const uint8_t *row, uint8_t *out, int channels) {
    if (channels == 3 && (b->bits == 24 || (b->bits == 32 && b->compression == RGB))) {
        size_t step = b->bits / 8;
        for (size_t x = 0; x < b->width; x++, row += step, out += 3) {
            out[0] = row[2];
            out[1] = row[1];
            out[2] = row[0];
        }
        return true;
    }
    if (b->bits == 8 && channels == 3) {
        for (size_t x = 0; x < b->width; x++, out += 3)
            memcpy(out, b->palette[row[x]], 3);
        return true;
    }
    if (b->bits == 8 && channels == 1 && b->grey) {
        for (size_t x = 0; x < b->width; x++)
            out[x] = b->palette[row[x]][0];
        return true;
    }
    return false;
}

static size_t row_bytes(const bmp *b) { return ((size_t)b->width * b->bits + 7) / 8; }

/* Rows of plain samples, each padded to 4 bytes. */
static hst_status read_plain(const bmp *b, hst__decode_job *job) {
    size_t stride = (row_bytes(b) + 3) / 4 * 4, step = (size_t)job->have.channels;
    for (size_t i = 0; i < b->height; i++) {
        uint8_t *out =
            job->raw + (b->from_above ? i : b->height - 1 - i) * b->width * step;
        size_t at = b->pixels + i * stride;
        if (at > b->size || b->size - at < row_bytes(b)) { /* lenient, see check_room */
            memset(out, 0, b->width * step);
            job->damaged = true;
            continue;
        }
        if (get_row(b, b->bytes + at, out, job->have.channels))
            continue;
        for (size_t x = 0; x < b->width; x++, out += step) {
            unsigned c[4];
            get_pixel(b, b->bytes + at, x, c);
            hst__pixel_store(out, job->have.channels, 8, c);
        }
    }
    return HST_OK;
}

/* Run lengths into one byte a pixel, top row first, at job->raw. Returns false when the
 * data end before their end mark. */
static bool unpack_rle(const bmp *b, uint8_t *raw) {
    const uint8_t *p = b->bytes + b->pixels, *end = b->bytes + b->size;
    size_t x = 0, y = 0; /* y counts from below */
    bool nibbles = b->compression == RLE4;
    memset(raw, 0, (size_t)b->width * b->height);
    while (end - p >= 2 && y < b->height) {
        unsigned count = p[0], value = p[1];
        p += 2;
        const uint8_t *literal = NULL;
        if (count == 0 && value == 0) { /* end of row */
            x = 0;
            y++;
            continue;
        }
        if (count == 0 && value == 1) /* end of picture */
            return true;
        if (count == 0 && value == 2) { /* move */
            if (end - p < 2)
                return false;
            x += p[0];
            y += p[1];
            p += 2;
            continue;
        }
        if (count == 0) { /* as many pixels as they stand, padded to 16 bits */
            count = value;
            size_t n = nibbles ? (count + 1) / 2 : count;
            if ((size_t)(end - p) < n)
                return false;
            literal = p;
            p += (size_t)(end - p) < n + n % 2 ? n : n + n % 2;
        }
        uint8_t *row = raw + (b->height - 1 - y) * b->width;
        for (unsigned i = 0; i < count && x < b->width; i++, x++) {
            unsigned v = !literal ? value : literal[nibbles ? i / 2 : i];
            row[x] = (uint8_t)(!nibbles ? v : i % 2 ? v & 15 : v >> 4);
        }
    }
    return y >= b->height;
}

static hst_status read_rle(const bmp *b, hst__decode_job *job) {
    uint8_t *raw = job->raw;
    if (!unpack_rle(b, raw)) {
        if (!job->options->lenient)
            return truncated(job->err, "run lengths");
        job->damaged = true;
    }
    size_t step = (size_t)job->have.channels;
    for (size_t i = (size_t)b->width * b->height;
         i-- > 0;) { /* widening: from the back */
        unsigned c[4];
        for (int k = 0; k < 4; k++)
            c[k] = b->palette[raw[i]][k];
        hst__pixel_store(raw + i * step, job->have.channels, 8, c);
    }
    return HST_OK;
}

/* Refuses before taking memory what the file cannot hold. */
static hst_status check_room(const bmp *b, hst_error *err) {
    uint64_t stride = (row_bytes(b) + 3) / 4 * 4;
    uint64_t need = stride * (b->height - 1) + row_bytes(b);
    if (need > b->size - b->pixels)
        return hst__fail(
            err, HST_E_FORMAT,
            "BMP: truncated: %u x %u pixels of %u bits take %llu bytes, %zu are "
            "there",
            b->width, b->height, b->bits, (unsigned long long)need, b->size - b->pixels);
    return HST_OK;
}

hst_status hst__bmp_decode(hst__decode_job *job) {
    bmp b;
    hst_status s = open_bmp(&b, job->bytes, job->size, job->err);
    bool rle = b.compression == RLE8 || b.compression == RLE4;
    if (!s)
        s = hst__decode_limit(job, b.width, b.height);
    if (!s && !rle && !job->options->lenient)
        s = check_room(&b, job->err);
    if (s)
        return s;
    int stored = stored_channels(&b),
        channels = hst__decode_channels(job->options, stored);
    bool blend = stored == 4 && job->options->composite;
    hst__pixels have = {.channels = blend ? 4 : channels, .bits = 8};
    s = hst__decode_target(job, (int)b.width, (int)b.height, have, channels, 8);
    if (s)
        return s;
    return rle ? read_rle(&b, job) : read_plain(&b, job);
}
