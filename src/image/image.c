#include "image/image.h"

#include "base/memory.h"
#include "base/status.h"
#include "image/decode.h"

#include <string.h>

static const char *const format_names[] = {
#define NAME(name, text) text,
    HST__IMAGE_FORMAT_LIST(NAME)
#undef NAME
};

const char *hst__image_format_name(hst__image_format format) {
    size_t n = sizeof format_names / sizeof *format_names;
    return (unsigned)format < n ? format_names[format] : "?";
}

hst_status hst__image_bytes(int width, int height, int bytes_per_pixel, size_t *bytes,
                            hst_error *err) {
    size_t n;
    if (width <= 0 || height <= 0 || width > HST__IMAGE_MAX_SIDE ||
        height > HST__IMAGE_MAX_SIDE)
        return hst__fail(err, HST_E_LIMIT,
                         "a picture of %d x %d pixels: each side must be 1 to %d", width,
                         height, (int)HST__IMAGE_MAX_SIDE);
    if (!hst__mul((size_t)width, (size_t)height, &n) ||
        !hst__mul(n, (size_t)bytes_per_pixel, &n) || n > HST__IMAGE_MAX_BYTES)
        return hst__fail(
            err, HST_E_LIMIT,
            "a picture of %d x %d pixels of %d bytes needs more than the %zu "
            "MiB allowed for one",
            width, height, bytes_per_pixel, HST__IMAGE_MAX_BYTES >> 20);
    *bytes = n;
    return HST_OK;
}

/* Owned samples lie this many bytes behind the start of their block: libjpeg-turbo writes
 * rows that begin at a multiple of 16 or 32 past the caches, from where the resize would
 * have to fetch them again. */
enum { OFFSET = 8 };

static void release(hst__image *image) {
    if (image->capacity)
        hst__free(image->data - OFFSET);
}

hst_status hst__image_reserve(hst__image *image, size_t bytes, hst_error *err) {
    if (image->data && !image->capacity)
        return hst__fail(err, HST_E_ARG,
                         "the picture borrows its buffer, which cannot grow");
    if (image->capacity >= bytes)
        return HST_OK;
    size_t need;
    uint8_t *block = hst__add(bytes, OFFSET, &need) ? hst__alloc_raw(need) : NULL;
    if (!block)
        return hst__fail_nomem(err, bytes);
    release(image);
    *image = (hst__image){.data = block + OFFSET, .capacity = bytes};
    return HST_OK;
}

hst_status hst__image_reshape(hst__image *image, int width, int height, int channels,
                              int bits, hst_error *err) {
    if ((channels != 1 && channels != 3 && channels != 4) || (bits != 8 && bits != 16))
        return hst__fail(
            err, HST_E_ARG,
            "a picture of %d channels of %d bits: there are 1, 3 or 4 of 8 or "
            "16",
            channels, bits);
    if (image->data && !image->capacity) {
        if (image->width == width && image->height == height &&
            image->channels == channels && image->bits == bits)
            return HST_OK;
        return hst__fail(
            err, HST_E_ARG,
            "the picture borrows a buffer of %d x %d x %d, %d bits; %d x %d x "
            "%d, %d bits are needed",
            image->height, image->width, image->channels, image->bits, height, width,
            channels, bits);
    }
    size_t bytes;
    hst_status s = hst__image_bytes(width, height, channels * bits / 8, &bytes, err);
    if (!s)
        s = hst__image_reserve(image, bytes, err);
    if (s)
        return s;
    image->width = width;
    image->height = height;
    image->channels = channels;
    image->bits = bits;
    image->stride = bytes / (size_t)height;
    return HST_OK;
}

void hst__image_fini(hst__image *image) {
    release(image);
    *image = (hst__image){0};
}

hst_status hst__image_check(const hst__image *image, hst_error *err) {
    int c = image->channels, bits = image->bits;
    if (!image->data || image->width <= 0 || image->height <= 0 ||
        image->width > HST__IMAGE_MAX_SIDE || image->height > HST__IMAGE_MAX_SIDE)
        return hst__fail(err, HST_E_ARG, "the picture is empty");
    if ((c != 1 && c != 3 && c != 4) || (bits != 8 && bits != 16))
        return hst__fail(
            err, HST_E_ARG,
            "a picture of %d channels of %d bits: there are 1, 3 or 4 of 8 or "
            "16",
            c, bits);
    if (image->stride < (size_t)image->width * (size_t)(c * bits / 8) ||
        (bits == 16 && (image->stride % 2 || (uintptr_t)image->data % 2)))
        return hst__fail(err, HST_E_ARG,
                         "a picture of %d pixels a row cannot have rows %zu "
                         "bytes apart",
                         image->width, image->stride);
    return HST_OK;
}

void hst__bytes_fini(hst__bytes *bytes) {
    hst__free(bytes->data);
    *bytes = (hst__bytes){0};
}

bool hst__bytes_room(hst__bytes *bytes, size_t more) {
    size_t need;
    if (!hst__add(bytes->size, more, &need))
        return false;
    if (need <= bytes->capacity)
        return true;
    size_t capacity = bytes->capacity < 4096 ? 4096 : bytes->capacity;
    while (capacity < need) {
        if (!hst__mul(capacity, 2, &capacity))
            return false;
    }
    uint8_t *data = hst__alloc_raw(capacity);
    if (!data)
        return false;
    if (bytes->size)
        memcpy(data, bytes->data, bytes->size);
    hst__free(bytes->data);
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}
