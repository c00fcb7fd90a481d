/* Netpbm: PBM (P1, P4), PGM (P2, P5), PPM (P3, P6), as https://netpbm.sourceforge.net/doc
 * describes them; of several pictures in a file the first is read. */
#include "image/decode.h"

#include "base/status.h"

#include <string.h>

typedef struct pnm {
    const uint8_t *at, *end; /* at: behind the header */
    int kind;                /* the digit of the magic number */
    int channels;
    unsigned width, height, maxval;
} pnm;

static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* White space and comments, which reach to the end of their line. */
static void skip_space(pnm *p) {
    while (p->at < p->end && (is_space(*p->at) || *p->at == '#')) {
        if (*p->at++ == '#') {
            while (p->at < p->end && *p->at != '\n' && *p->at != '\r')
                p->at++;
        }
    }
}

/* A number up to 99,999,999; false when there is none. */
static bool get_number(pnm *p, unsigned *value) {
    skip_space(p);
    const uint8_t *start = p->at;
    unsigned v = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        if (p->at - start == 8)
            return false;
        v = v * 10 + (unsigned)(*p->at - '0');
    }
    *value = v;
    return p->at > start;
}

static hst_status open_pnm(pnm *p, const uint8_t *bytes, size_t size, hst_error *err) {
    *p = (pnm){.at = bytes + 2, .end = bytes + size, .kind = bytes[1] - '0', .maxval = 1};
    p->channels = p->kind == 3 || p->kind == 6 ? 3 : 1;
    bool bitmap = p->kind == 1 || p->kind == 4;
    if (!get_number(p, &p->width) || !get_number(p, &p->height) ||
        (!bitmap && !get_number(p, &p->maxval)))
        return hst__fail(err, HST_E_FORMAT, "P%d: width, height%s do not follow", p->kind,
                         bitmap ? "" : " and the highest sample value");
    if (p->width == 0 || p->height == 0)
        return hst__fail(err, HST_E_FORMAT, "P%d: a picture of %u x %u pixels", p->kind,
                         p->width, p->height);
    if (p->maxval == 0 || p->maxval > 65535)
        return hst__fail(err, HST_E_FORMAT,
                         "P%d: highest sample value %u; it is 1 to 65535", p->kind,
                         p->maxval);
    if (p->at == p->end)
        return hst__fail(err, HST_E_FORMAT, "P%d: truncated: no pixels", p->kind);
    if (!is_space(*p->at) && !(p->kind < 4 && *p->at == '#'))
        return hst__fail(err, HST_E_FORMAT, "P%d: the header ends in 0x%02x", p->kind,
                         *p->at);
    if (p->kind >= 4)
        p->at++; /* exactly one, the samples start behind it */
    return HST_OK;
}

hst_status hst__pnm_probe(const uint8_t *bytes, size_t size, hst__image_info *info,
                          hst_error *err) {
    pnm p;
    hst_status s = open_pnm(&p, bytes, size, err);
    if (s)
        return s;
    if (p.width > HST__IMAGE_MAX_SIDE || p.height > HST__IMAGE_MAX_SIDE)
        return hst__fail(err, HST_E_LIMIT, "P%d: a picture of %u x %u pixels: too large",
                         p.kind, p.width, p.height);
    info->width = (int)p.width;
    info->height = (int)p.height;
    info->channels = p.channels;
    for (info->bits = 1; p.maxval >> info->bits; info->bits++)
        continue;
    return HST_OK;
}

static unsigned scaled(unsigned v, unsigned maxval, unsigned full) {
    if (v >= maxval)
        return full;
    return maxval == full ? v : (unsigned)(((uint64_t)v * full + maxval / 2) / maxval);
}

/* Bytes of one row in the binary forms. */
static uint64_t binary_row(const pnm *p) {
    if (p->kind == 4)
        return (p->width + 7) / 8;
    return (uint64_t)p->width * (unsigned)p->channels * (p->maxval > 255 ? 2 : 1);
}

/* Sample i of a binary row, or the next one of a plain form; false at the end. */
static bool get_sample(pnm *p, const uint8_t *row, size_t i, unsigned *v) {
    switch (p->kind) {
    case 1:
        skip_space(p);
        if (p->at == p->end || (*p->at != '0' && *p->at != '1'))
            return false;
        *v = *p->at++ == '0';
        return true;
    case 4:
        *v = !(row[i / 8] >> (7 - i % 8) & 1);
        return true;
    case 5:
    case 6:
        *v = p->maxval > 255 ? (unsigned)row[2 * i] << 8 | row[2 * i + 1] : row[i];
        return true;
    default:
        return get_number(p, v);
    }
}

/* Big-endian samples of the full 16 bits. */
static void get_deep_row(const uint8_t *row, size_t samples, int bits, uint8_t *out) {
    if (bits == 8) {
        for (size_t i = 0; i < samples; i++)
            out[i] = row[2 * i];
        return;
    }
    for (size_t i = 0; i < samples; i++) {
        uint16_t v = (uint16_t)(row[2 * i] << 8 | row[2 * i + 1]);
        memcpy(out + 2 * i, &v, 2);
    }
}

/* One row into the form of the result; false where the samples end. */
static bool read_row(pnm *p, const hst__decode_job *job, uint8_t *out) {
    const uint8_t *row = p->at;
    if (p->kind >= 4) {
        if (binary_row(p) > (uint64_t)(p->end - p->at))
            return false;
        p->at += binary_row(p);
    }
    size_t samples = (size_t)p->width * (size_t)p->channels;
    bool as_is = p->kind >= 5 && job->channels == p->channels;
    if (as_is && p->maxval == 255) {
        memcpy(out, row, samples);
        return true;
    }
    if (as_is && p->maxval == 65535) {
        get_deep_row(row, samples, job->bits, out);
        return true;
    }
    unsigned full = p->maxval > 255 ? 65535 : 255;
    int shift = p->maxval > 255 && job->bits == 8 ? 8 : 0;
    size_t step = (size_t)(job->channels * job->bits / 8);
    for (size_t x = 0; x < p->width; x++, out += step) {
        unsigned c[4] = {0, 0, 0, full >> shift}, v;
        for (size_t k = 0; k < (size_t)p->channels; k++) {
            if (!get_sample(p, row, x * (size_t)p->channels + k, &v))
                return false;
            c[k] = scaled(v, p->maxval, full) >> shift;
        }
        if (p->channels == 1)
            c[1] = c[2] = c[0];
        hst__pixel_store(out, job->channels, job->bits, c);
    }
    return true;
}

/* Refuses before taking memory what the file cannot hold. */
static hst_status check_room(const pnm *p, hst_error *err) {
    /* A plain sample is a separator and a digit at least. */
    uint64_t plain = (uint64_t)p->width * (unsigned)p->channels * (p->kind == 1 ? 1 : 2);
    uint64_t row = p->kind >= 4 ? binary_row(p) : plain;
    uint64_t have = (uint64_t)(p->end - p->at);
    if (row > have / p->height)
        return hst__fail(
            err, HST_E_FORMAT,
            "P%d: truncated: %u x %u pixels do not fit in the %llu bytes that "
            "follow the header",
            p->kind, p->width, p->height, (unsigned long long)have);
    return HST_OK;
}

hst_status hst__pnm_decode(hst__decode_job *job) {
    pnm p;
    hst_status s = open_pnm(&p, job->bytes, job->size, job->err);
    if (!s)
        s = hst__decode_limit(job, p.width, p.height);
    if (!s && !job->options->lenient)
        s = check_room(&p, job->err);
    if (s)
        return s;
    int channels = hst__decode_channels(job->options, p.channels);
    int bits = p.maxval > 255 && job->options->keep16 ? 16 : 8;
    hst__pixels have = {.channels = channels, .bits = bits};
    s = hst__decode_target(job, (int)p.width, (int)p.height, have, channels, bits);
    if (s)
        return s;
    size_t row = (size_t)p.width * (size_t)(channels * bits / 8);
    for (unsigned y = 0; y < p.height; y++) {
        if (read_row(&p, job, job->raw + y * row))
            continue;
        if (!job->options->lenient)
            return hst__fail(job->err, HST_E_FORMAT, "P%d: %s in row %u of %u", p.kind,
                             p.at == p.end || p.kind >= 4 ? "truncated: the file ends"
                                                          : "not a number",
                             y + 1, p.height);
        memset(job->raw + y * row, 0, (p.height - y) * row);
        job->damaged = true;
        break;
    }
    return HST_OK;
}
