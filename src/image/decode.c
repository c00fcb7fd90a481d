#include "image/decode.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

hst__image_format hst__image_detect(const void *bytes, size_t size) {
    const uint8_t *b = bytes;
    if (size >= 3 && memcmp(b, "\xff\xd8\xff", 3) == 0)
        return HST__IMAGE_JPEG;
    if (size >= 8 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0)
        return HST__IMAGE_PNG;
    if (size >= 3 && b[0] == 'P' && b[1] >= '1' && b[1] <= '6' &&
        (b[2] == '#' || (b[2] >= '\t' && b[2] <= '\r') || b[2] == ' '))
        return HST__IMAGE_PNM;
    if (size >= 2 && b[0] == 'B' && b[1] == 'M')
        return HST__IMAGE_BMP;
    return HST__IMAGE_UNKNOWN;
}

/* Says what the bytes look like instead, for the files people most often offer. */
static hst_status unknown(const uint8_t *b, size_t size, hst_error *err) {
    static const struct {
        const char *magic;
        int at, length;
        const char *name;
    } others[] = {
        {"GIF8", 0, 4, "GIF"},
        {"WEBP", 8, 4, "WebP"},
        {"II*\0", 0, 4, "TIFF"},
        {"MM\0*", 0, 4, "TIFF"},
        {"ftypheic", 4, 8, "HEIF"},
        {"ftypmif1", 4, 8, "HEIF"},
        {"ftypavif", 4, 8, "AVIF"},
        {"\0\0\0\x0cjP  ", 0, 8, "JPEG 2000"},
        {"DICM", 128, 4, "DICOM"},
        {"%PDF", 0, 4, "PDF"},
        {"P7\n", 0, 3, "PAM"},
        {"\x93NUMPY", 0, 6, "NumPy array"},
        {"\xff\x0a", 0, 2, "JPEG XL"},
        {"<svg", 0, 4, "SVG"},
        {"\0\0\x01\0", 0, 4, "Windows icon"},
    };
    if (size == 0)
        return hst__fail(err, HST_E_FORMAT, "the picture's file is empty");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t at = (size_t)others[i].at, n = (size_t)others[i].length;
        if (size >= at + n && memcmp(b + at, others[i].magic, n) == 0)
            return hst__fail(
                err, HST_E_UNSUPPORTED,
                "a %s file; JPEG, PNG, PPM, PGM and BMP are read: convert it",
                others[i].name);
    }
    return hst__fail(err, HST_E_FORMAT,
                     "not a picture: it starts with %02x %02x %02x %02x, which is not "
                     "JPEG, PNG, PPM, PGM or BMP",
                     b[0], size > 1 ? b[1] : 0, size > 2 ? b[2] : 0, size > 3 ? b[3] : 0);
}

hst_status hst__image_probe(const void *bytes, size_t size, hst__image_info *info,
                            hst_error *err) {
    *info = (hst__image_info){.format = hst__image_detect(bytes, size), .orientation = 1};
    switch (info->format) {
    case HST__IMAGE_JPEG:
        return hst__jpeg_probe(bytes, size, info, err);
    case HST__IMAGE_PNG:
        return hst__png_probe(bytes, size, info, err);
    case HST__IMAGE_PNM:
        return hst__pnm_probe(bytes, size, info, err);
    case HST__IMAGE_BMP:
        return hst__bmp_probe(bytes, size, info, err);
    default:
        return unknown(bytes, size, err);
    }
}

int hst__decode_channels(const hst__decode_options *options, int stored) {
    if (options->channels)
        return options->channels;
    return stored < 3 ? 1 : 3;
}

hst_status hst__decode_limit(const hst__decode_job *job, uint64_t width,
                             uint64_t height) {
    uint64_t limit = job->options->max_pixels, pixels;
    if (limit && (__builtin_mul_overflow(width, height, &pixels) || pixels > limit))
        return hst__fail(job->err, HST_E_LIMIT,
                         "a picture of %llu x %llu pixels; the limit set is %llu",
                         (unsigned long long)width, (unsigned long long)height,
                         (unsigned long long)limit);
    return HST_OK;
}

hst_status hst__decode_target(hst__decode_job *job, int width, int height,
                              hst__pixels have, int channels, int bits) {
    hst_status s = hst__decode_limit(job, (uint64_t)width, (uint64_t)height);
    if (s)
        return s;
    int have_bytes = have.channels * have.bits / 8, bytes = channels * bits / 8;
    size_t raw, done;
    s = hst__image_bytes(width, height, have_bytes > bytes ? have_bytes : bytes, &raw,
                         job->err);
    if (s)
        return s;
    if (job->options->ignore_orientation)
        job->orientation = 1;
    done = 0;
    if (job->orientation >= 5) { /* turned into another place in the same buffer */
        done = hst__round_up((size_t)width * (size_t)height * (size_t)bytes, HST__ALIGN);
        if (done + raw > HST__IMAGE_MAX_BYTES)
            return hst__fail(
                job->err, HST_E_LIMIT,
                "turning a picture of %d x %d pixels upright needs more than "
                "the %zu MiB allowed",
                width, height, HST__IMAGE_MAX_BYTES >> 20);
    }
    s = hst__image_reserve(job->out, done + raw, job->err);
    if (s)
        return s;
    job->raw = job->out->data + done;
    job->width = width;
    job->height = height;
    job->have = have;
    job->channels = channels;
    job->bits = bits;
    return HST_OK;
}

static bool narrows(const hst__decode_job *job) {
    const hst__pixels *have = &job->have;
    return have->cmyk || have->channels != job->channels || have->bits != job->bits;
}

bool hst__decode_direct(const hst__decode_job *job) {
    return !narrows(job) && job->orientation == 1;
}

static void set_form(hst__decode_job *job) {
    hst__image *out = job->out;
    bool turned = job->orientation >= 5;
    out->width = turned ? job->height : job->width;
    out->height = turned ? job->width : job->height;
    out->channels = job->channels;
    out->bits = job->bits;
    out->stride = (size_t)out->width * (size_t)(job->channels * job->bits / 8);
}

hst_status hst__decode_give(hst__decode_job *job, int ready) {
    const hst__decode_options *o = job->options;
    if (!o->rows || ready <= job->given)
        return HST_OK;
    set_form(job);
    job->given = ready;
    return o->rows(o->rows_context, job->out, ready, job->err);
}

/* From the decoder's samples to the picture that was asked for. */
static hst_status finish(hst__decode_job *job) {
    hst__image *out = job->out;
    size_t pixels = (size_t)job->width * (size_t)job->height;
    hst__pixels have = job->have;
    if (narrows(job))
        hst__pixels_narrow(job->raw, pixels, have, job->channels, job->bits,
                           job->options->composite ? job->options->background : NULL);
    int pixel = job->channels * job->bits / 8;
    if (job->orientation > 1)
        hst__pixels_orient(job->raw, out->data, job->width, job->height, pixel,
                           job->orientation);
    set_form(job);
    return hst__decode_give(job, out->height);
}

hst_status hst__image_decode(const void *bytes, size_t size,
                             const hst__decode_options *options, hst__image *out,
                             bool *damaged, hst_error *err) {
    static const hst__decode_options none;
    hst__decode_job job = {.bytes = bytes,
                           .size = size,
                           .options = options ? options : &none,
                           .out = out,
                           .orientation = 1,
                           .err = err};
    int wanted = job.options->channels;
    if (damaged)
        *damaged = false;
    if (wanted != 0 && wanted != 1 && wanted != 3 && wanted != 4)
        return hst__fail(err, HST_E_ARG, "pictures have 1, 3 or 4 channels, not %d",
                         wanted);
    if (out->data && !out->capacity)
        return hst__fail(err, HST_E_ARG, "decoding needs a picture that owns its buffer");
    out->width = out->height = 0;
    hst_status s;
    switch (hst__image_detect(bytes, size)) {
    case HST__IMAGE_JPEG:
        s = hst__jpeg_decode(&job);
        break;
    case HST__IMAGE_PNG:
        s = hst__png_decode(&job);
        break;
    case HST__IMAGE_PNM:
        s = hst__pnm_decode(&job);
        break;
    case HST__IMAGE_BMP:
        s = hst__bmp_decode(&job);
        break;
    default:
        s = unknown(bytes, size, err);
    }
    if (s)
        return s;
    s = finish(&job);
    if (damaged)
        *damaged = job.damaged;
    return s;
}
