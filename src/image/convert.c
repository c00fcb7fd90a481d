/* From a picture to a tensor: order of channels, scale, mean, layout, letterbox. */
#include "image/image.h"

#include "base/cpu.h"
#include "base/memory.h"
#include "base/status.h"
#include "image/decode.h"
#include "kernels/pixels.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1024 }; /* pixels repacked (on the stack) or filled at a time */

/** A conversion with everything decided. */
typedef struct convert {
    const hst__image *src;
    const hst__pixels_kernels *kernels;
    int channels; /* of the tensor */
    int width, height, x, y;
    bool u8, hwc;
    int from[4]; /* tensor channel c takes picture channel from[c]; -1: luma */
    float a[4], b[4];
    float pattern_a[HST__PIXELS_PATTERN], pattern_b[HST__PIXELS_PATTERN];
    uint8_t lut[4][256]; /* u8 from u8 */
    float pad[4];
    bool as_is;    /* the tensor's channels are the picture's, in its order */
    bool identity; /* u8 from u8, values unchanged */
} convert;

static hst_status plan_sizes(const hst__image *src, const hst__convert_options *o,
                             convert *v, size_t *elements, hst_error *err) {
    hst_status s = hst__image_check(src, err);
    if (s)
        return s;
    v->src = src;
    v->channels = o->channels ? o->channels : src->channels;
    v->width = o->width ? o->width : src->width;
    v->height = o->height ? o->height : src->height;
    v->x = o->x;
    v->y = o->y;
    int c = v->channels;
    if (c != 1 && c != 3 && !(c == 4 && src->channels == 4))
        return hst__fail(err, HST_E_ARG,
                         "a tensor of %d channels cannot be made from a picture of %d", c,
                         src->channels);
    if (v->x < 0 || v->y < 0 || v->width < 1 || v->height < 1 ||
        v->width - src->width < v->x || v->height - src->height < v->y)
        return hst__fail(
            err, HST_E_SHAPE,
            "a picture of %d x %d pixels does not fit at %d,%d of a tensor of "
            "%d x %d",
            src->width, src->height, v->x, v->y, v->width, v->height);
    size_t n;
    if (!hst__mul((size_t)v->width, (size_t)v->height, &n) ||
        !hst__mul(n, (size_t)c, elements) || *elements > PTRDIFF_MAX / sizeof(float))
        return hst__fail(err, HST_E_LIMIT, "a tensor of %d x %d x %d is too large", c,
                         v->height, v->width);
    return HST_OK;
}

hst_status hst__image_convert_size(const hst__image *src, const hst__convert_options *o,
                                   size_t *elements, hst_error *err) {
    convert v;
    return plan_sizes(src, o, &v, elements, err);
}

static uint8_t round_u8(float v) {
    return v >= 255 ? 255 : v > 0 ? (uint8_t)lrintf(v) : 0; /* NaN: 0 */
}

static void plan_values(convert *v, const hst__convert_options *o) {
    int stored = v->src->channels;
    v->kernels = hst__pixels_get(hst__cpu_resolve(o->cpu));
    v->u8 = o->type == HST__CONVERT_U8;
    v->hwc = o->hwc || v->channels == 1;
    v->as_is = v->channels == stored;
    v->identity = v->u8 && v->src->bits == 8;
    double scale = o->scale != 0 ? o->scale : 1;
    for (int c = 0; c < v->channels; c++) {
        double std = o->std[c] != 0 ? o->std[c] : 1;
        v->a[c] = (float)(scale / std);
        v->b[c] = (float)(-o->mean[c] / std);
        v->pad[c] = (float)o->pad[c] * v->a[c] + v->b[c];
        int from = o->bgr && v->channels >= 3 && c < 3 ? 2 - c : c;
        v->from[c] = stored == 1 ? 0 : v->channels == 1 ? -1 : from;
        v->as_is = v->as_is && v->from[c] == c;
        v->identity = v->identity && v->a[c] == 1 && v->b[c] == 0;
    }
    bool copies = v->identity && (v->hwc || v->channels == 3);
    for (int c = 0; c < v->channels && v->u8 && !copies; c++) {
        for (int i = 0; i < 256; i++)
            v->lut[c][i] = round_u8((float)i * v->a[c] + v->b[c]);
    }
    for (int i = 0; i < HST__PIXELS_PATTERN; i++) {
        v->pattern_a[i] = v->a[i % v->channels];
        v->pattern_b[i] = v->b[i % v->channels];
    }
}

/* ---- padding ------------------------------------------------------------------------
 */

/* n elements of `size` bytes, all like the one at p. */
static void repeat(uint8_t *to, const void *p, size_t size, size_t n) {
    if (n == 0)
        return;
    memcpy(to, p, size);
    for (size_t done = 1, more; done < n; done += more) {
        more = done < n - done ? done : n - done;
        more = more < CHUNK ? more : CHUNK; /* what is copied stays in the first cache */
        memcpy(to + done * size, to, more * size);
    }
}

/* n pixels from pixel `at` of the tensor on. */
static void fill(const convert *v, void *dst, size_t at, size_t n) {
    size_t c = (size_t)v->channels, plane = (size_t)v->width * (size_t)v->height;
    size_t element = v->u8 ? 1 : sizeof(float);
    uint8_t bytes[4];
    for (size_t k = 0; k < c; k++)
        bytes[k] = round_u8(v->pad[k]);
    const uint8_t *pixel = v->u8 ? bytes : (const uint8_t *)v->pad;
    if (v->hwc) {
        repeat((uint8_t *)dst + at * c * element, pixel, c * element, n);
        return;
    }
    for (size_t k = 0; k < c; k++)
        repeat((uint8_t *)dst + (k * plane + at) * element, pixel + k * element, element,
               n);
}

/* ---- rows ---------------------------------------------------------------------------
 */

/* n pixels of a row, channels in the tensor's order, u8. */
static void repack_u8(const convert *v, const uint8_t *row, uint8_t *to, size_t n) {
    size_t stored = (size_t)v->src->channels, c = (size_t)v->channels;
    if (stored == 3 && c == 3) { /* not as it is: the other way round */
        v->kernels->reverse3(row, to, n);
        return;
    }
    for (size_t i = 0; i < n; i++, row += stored, to += c) {
        for (size_t k = 0; k < c; k++)
            to[k] = v->from[k] < 0 ? (uint8_t)hst__luma(row[0], row[1], row[2])
                                   : row[v->from[k]];
    }
}

/* n pixels, channels in the tensor's order, to where pixel `at` of the tensor lies. */
static void put_f32(const convert *v, const uint8_t *row, float *dst, size_t at,
                    size_t n) {
    size_t c = (size_t)v->channels, plane = (size_t)v->width * (size_t)v->height;
    if (v->hwc) {
        v->kernels->pattern(row, dst + at * c, n * c, v->pattern_a, v->pattern_b);
    } else if (c == 3) {
        float *const to[3] = {dst + at, dst + plane + at, dst + 2 * plane + at};
        v->kernels->planar3(row, to, n, v->a, v->b);
    } else {
        for (size_t k = 0; k < c; k++) {
            for (size_t i = 0; i < n; i++)
                dst[k * plane + at + i] = (float)row[i * c + k] * v->a[k] + v->b[k];
        }
    }
}

static void put_u8(const convert *v, const uint8_t *row, uint8_t *dst, size_t at,
                   size_t n) {
    size_t c = (size_t)v->channels, plane = (size_t)v->width * (size_t)v->height;
    if (v->identity && v->hwc) {
        memcpy(dst + at * c, row, n * c);
    } else if (v->identity && c == 3) {
        uint8_t *const to[3] = {dst + at, dst + plane + at, dst + 2 * plane + at};
        v->kernels->split3(row, to, n);
    } else {
        for (size_t k = 0; k < c; k++) {
            uint8_t *to = v->hwc ? dst + at * c + k : dst + k * plane + at;
            size_t step = v->hwc ? c : 1;
            for (size_t i = 0; i < n; i++)
                to[i * step] = v->lut[k][row[i * c + k]];
        }
    }
}

static void convert_row_u8(const convert *v, const uint8_t *row, void *dst, size_t at) {
    uint8_t chunk[CHUNK * 4];
    size_t width = (size_t)v->src->width;
    /* Planes may change places without a copy. */
    if (!v->u8 && !v->hwc && v->src->channels == 3) {
        size_t plane = (size_t)v->width * (size_t)v->height;
        float *to[3], a[3], b[3];
        for (int c = 0; c < 3; c++) {
            to[v->from[c]] = (float *)dst + (size_t)c * plane + at;
            a[v->from[c]] = v->a[c];
            b[v->from[c]] = v->b[c];
        }
        v->kernels->planar3(row, to, width, a, b);
        return;
    }
    for (size_t x = 0, n; x < width; x += n) {
        const uint8_t *from = row + x * (size_t)v->src->channels;
        n = v->as_is ? width : width - x < CHUNK ? width - x : CHUNK;
        if (!v->as_is) {
            repack_u8(v, from, chunk, n);
            from = chunk;
        }
        if (v->u8)
            put_u8(v, from, dst, at + x, n);
        else
            put_f32(v, from, dst, at + x, n);
    }
}

static void convert_row_u16(const convert *v, const uint16_t *row, void *dst, size_t at) {
    size_t stored = (size_t)v->src->channels, c = (size_t)v->channels;
    size_t plane = (size_t)v->width * (size_t)v->height;
    for (size_t k = 0; k < c; k++) {
        const uint16_t *p = row;
        size_t to = v->hwc ? at * c + k : k * plane + at, step = v->hwc ? c : 1;
        for (int i = 0; i < v->src->width; i++, p += stored, to += step) {
            unsigned x = v->from[k] < 0 ? hst__luma(p[0], p[1], p[2]) : p[v->from[k]];
            float value = (float)x * v->a[k] + v->b[k];
            if (v->u8)
                ((uint8_t *)dst)[to] = round_u8(value);
            else
                ((float *)dst)[to] = value;
        }
    }
}

hst_status hst__image_convert_rows(const hst__image *src, const hst__convert_options *o,
                                   int from, int to, void *dst, size_t elements,
                                   hst_error *err) {
    convert v;
    size_t need;
    hst_status s = plan_sizes(src, o, &v, &need, err);
    if (s)
        return s;
    if (elements < need)
        return hst__fail(err, HST_E_SHAPE, "the tensor has room for %zu values, %zu come",
                         elements, need);
    if (o->type != HST__CONVERT_F32 && o->type != HST__CONVERT_U8)
        return hst__fail(err, HST_E_ARG, "pictures become f32 or u8");
    if (from < 0 || from > to || to > src->height)
        return hst__fail(err, HST_E_ARG, "rows %d to %d of a picture of %d", from, to,
                         src->height);
    plan_values(&v, o);
    size_t width = (size_t)v.width, x = (size_t)v.x, w = (size_t)src->width;
    size_t top = (size_t)v.y * width, end = top + (size_t)src->height * width;
    if (from == 0)
        fill(&v, dst, 0, top);
    for (int y = from; y < to; y++) {
        size_t at = top + (size_t)y * width;
        const uint8_t *p = hst__image_row(src, y);
        fill(&v, dst, at, x);
        if (src->bits == 8)
            convert_row_u8(&v, p, dst, at + x);
        else
            convert_row_u16(&v, (const uint16_t *)p, dst, at + x);
        fill(&v, dst, at + x + w, width - x - w);
    }
    if (to == src->height)
        fill(&v, dst, end, width * (size_t)v.height - end);
    return HST_OK;
}

hst_status hst__image_convert(const hst__image *src, const hst__convert_options *o,
                              void *dst, size_t elements, hst_error *err) {
    return hst__image_convert_rows(src, o, 0, src->height, dst, elements, err);
}
