/* PNG by libspng, row by row, so that a lenient decode keeps the rows before the damage.
 */
#include "image/decode.h"

#include "base/status.h"

#include <string.h>

#include <spng.h>

/* Of text, profiles and the like together; a few compressed kilobytes can claim
 * gigabytes. */
static const size_t chunk_bytes = (size_t)64 << 20;

enum { PADDING = 1 << 16 }; /* zeros behind the end of a file read leniently */

static hst_status fail(hst_error *err, int code) {
    hst_status s = HST_E_FORMAT;
    switch (code) {
    case SPNG_EMEM:
        s = HST_E_NOMEM;
        break;
    case SPNG_ECHUNK_LIMITS:
    case SPNG_EUSER_WIDTH:
    case SPNG_EUSER_HEIGHT:
    case SPNG_EOVERFLOW:
        s = HST_E_LIMIT;
        break;
    case SPNG_IO_EOF:
    case SPNG_EOF:
    case SPNG_EIDAT_TOO_SHORT:
        return hst__fail(err, s, "PNG: truncated: %s", spng_strerror(code));
    default:
        break;
    }
    return hst__fail(err, s, "PNG: %s", spng_strerror(code));
}

/* A file in memory whose end is followed by some zeros: the library drops the data of a
 * read that comes up short. Whether zeros were read tells that the data ended early, as
 * they may decompress to pixels. */
typedef struct stream {
    const uint8_t *bytes;
    size_t size, at, zeros;
} stream;

static int read_padded(spng_ctx *ctx, void *user, void *dest, size_t length) {
    stream *s = user;
    (void)ctx;
    size_t have = s->size - s->at, n = length < have ? length : have;
    if (length - n > s->zeros)
        return SPNG_IO_EOF;
    memcpy(dest, s->bytes + s->at, n);
    memset((char *)dest + n, 0, length - n);
    s->at += n;
    s->zeros -= length - n;
    return 0;
}

typedef struct png {
    spng_ctx *ctx;
    struct spng_ihdr head;
    stream stream;
    int orientation;
    bool transparency; /* a tRNS chunk */
} png;

/* Reads up to the pixels. On failure too, spng_ctx_free(p->ctx) is due. */
static hst_status open_png(png *p, const uint8_t *bytes, size_t size, bool lenient,
                           hst_error *err) {
    *p = (png){.ctx = spng_ctx_new(0), .orientation = 1};
    if (!p->ctx)
        return hst__fail(err, HST_E_NOMEM, "PNG: out of memory");
    spng_set_image_limits(p->ctx, HST__IMAGE_MAX_SIDE, HST__IMAGE_MAX_SIDE);
    spng_set_chunk_limits(p->ctx, chunk_bytes, chunk_bytes);
    int code;
    if (lenient) {
        spng_set_crc_action(p->ctx, SPNG_CRC_USE, SPNG_CRC_DISCARD);
        p->stream = (stream){.bytes = bytes, .size = size, .zeros = PADDING};
        code = spng_set_png_stream(p->ctx, read_padded, &p->stream);
    } else {
        code = spng_set_png_buffer(p->ctx, bytes, size);
    }
    if (!code)
        code = spng_get_ihdr(p->ctx, &p->head);
    if (!code)
        code = spng_decode_chunks(p->ctx);
    if (code)
        return fail(err, code);
    struct spng_exif exif;
    if (spng_get_exif(p->ctx, &exif) == 0)
        p->orientation = hst__exif_orientation((const uint8_t *)exif.data, exif.length);
    struct spng_trns trns;
    p->transparency = spng_get_trns(p->ctx, &trns) == 0;
    return HST_OK;
}

static int stored_channels(const png *p) {
    switch (p->head.color_type) {
    case SPNG_COLOR_TYPE_GRAYSCALE:
        return 1;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
        return 2;
    case SPNG_COLOR_TYPE_INDEXED:
        return p->transparency ? 4 : 3;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
        return 4;
    default:
        return 3;
    }
}

hst_status hst__png_probe(const uint8_t *bytes, size_t size, hst__image_info *info,
                          hst_error *err) {
    png p;
    hst_status s = open_png(&p, bytes, size, false, err);
    if (!s) {
        info->width = (int)p.head.width;
        info->height = (int)p.head.height;
        info->channels = stored_channels(&p);
        info->bits = p.head.color_type == SPNG_COLOR_TYPE_INDEXED ? 8 : p.head.bit_depth;
        info->orientation = p.orientation;
        info->progressive = p.head.interlace_method != SPNG_INTERLACE_NONE;
    }
    spng_ctx_free(p.ctx);
    return s;
}

/* The library's form that is nearest above what is wanted; the rest is narrowed by us. */
static int choose_format(const png *p, int channels, int bits, bool alpha,
                         hst__pixels *have) {
    bool deep = p->head.bit_depth == 16;
    int type = p->head.color_type;
    bool grey = type == SPNG_COLOR_TYPE_GRAYSCALE;
    if (alpha) {
        *have = (hst__pixels){.channels = 4, .bits = bits};
        return bits == 16 ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
    }
    if (channels == 1 && grey && !deep) {
        *have = (hst__pixels){.channels = 1, .bits = 8};
        return SPNG_FMT_G8;
    }
    if (channels == 1 && (grey || type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA)) {
        *have = (hst__pixels){.channels = grey ? 1 : 2, .bits = deep ? 16 : 8};
        return SPNG_FMT_PNG;
    }
    if (bits == 16 && type == SPNG_COLOR_TYPE_TRUECOLOR) {
        *have = (hst__pixels){.channels = 3, .bits = 16};
        return SPNG_FMT_PNG;
    }
    *have = (hst__pixels){.channels = bits == 16 ? 4 : 3, .bits = bits};
    return bits == 16 ? SPNG_FMT_RGBA16 : SPNG_FMT_RGB8;
}

/* Decodes all rows; *rows counts those that came, interlaced ones several times. */
static int read_rows(png *p, uint8_t *raw, size_t row_bytes, size_t *rows) {
    struct spng_row_info row;
    int code;
    for (*rows = 0; (code = spng_get_row_info(p->ctx, &row)) == 0; ++*rows) {
        code = spng_decode_row(p->ctx, raw + row.row_num * row_bytes, row_bytes);
        if (code)
            break;
    }
    return code == SPNG_EOI ? 0 : code;
}

static hst_status decode(png *p, hst__decode_job *job) {
    const hst__decode_options *o = job->options;
    int stored = stored_channels(p), channels = hst__decode_channels(o, stored);
    int bits = p->head.bit_depth == 16 && o->keep16 ? 16 : 8;
    bool alpha = channels == 4 || (o->composite && (stored % 2 == 0 || p->transparency));
    hst__pixels have;
    int format = choose_format(p, channels, bits, alpha, &have);
    job->orientation = p->orientation;
    hst_status s = hst__decode_target(job, (int)p->head.width, (int)p->head.height, have,
                                      channels, bits);
    if (s)
        return s;
    size_t row_bytes = (size_t)p->head.width * (size_t)(have.channels * have.bits / 8);
    if (o->lenient)
        memset(job->raw, 0, row_bytes * p->head.height);
    int flags = SPNG_DECODE_PROGRESSIVE | (alpha ? SPNG_DECODE_TRNS : 0);
    int code = spng_decode_image(p->ctx, NULL, 0, format, flags);
    size_t rows = 0;
    if (!code)
        code = read_rows(p, job->raw, row_bytes, &rows);
    if (code && (!o->lenient || rows == 0 || code == SPNG_EMEM))
        return fail(job->err, code);
    job->damaged = code != 0 || (o->lenient && p->stream.zeros < PADDING);
    return HST_OK;
}

hst_status hst__png_decode(hst__decode_job *job) {
    png p;
    hst_status s = open_png(&p, job->bytes, job->size, job->options->lenient, job->err);
    if (!s)
        s = decode(&p, job);
    spng_ctx_free(p.ctx);
    return s;
}
