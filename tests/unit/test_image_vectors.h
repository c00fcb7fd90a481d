/* The packed records that tools/golden/image_vectors.py writes, and how far two pictures
 * lie apart. For the test_image programs. */
#ifndef HST_TESTS_IMAGE_VECTORS_H
#define HST_TESTS_IMAGE_VECTORS_H

#include "base/file_map.h"
#include "image/image.h"
#include "support/test.h"

#define IMAGE_GOLDEN HASTEN_SOURCE_DIR "/tests/golden/image/"

/** Walks a packed file: each record is a line "WORDS... WIDTH HEIGHT CHANNELS BITS" and
 * its samples. */
typedef struct vectors {
    hst__file_map map;
    size_t at;
    char head[128];    /**< the line's words before the four numbers */
    hst__image pixels; /**< borrowed from `deep` or from the map */
    uint16_t deep[4096];
} vectors;

static inline void vectors_open(vectors *v, const char *name) {
    char path[512];
    hst_error err;
    snprintf(path, sizeof path, IMAGE_GOLDEN "%s", name);
    *v = (vectors){.at = 0};
    assert_ok(hst__file_read(path, (size_t)1 << 20, &v->map, &err), &err);
}

/** Fills head and pixels with the next record; false at the end. The samples of an
 * earlier one stay valid when they are of 8 bits. */
static inline bool vectors_next(vectors *v) {
    const uint8_t *data = v->map.data;
    if (v->at == v->map.size)
        return false;
    const uint8_t *line = data + v->at, *end = memchr(line, '\n', v->map.size - v->at);
    assert_non_null(end);
    assert_true((size_t)(end - line) < sizeof v->head);
    memcpy(v->head, line, (size_t)(end - line));
    v->head[end - line] = 0;
    int form[4];
    for (int i = 3; i >= 0; i--) { /* the numbers from the back */
        char *space = strrchr(v->head, ' ');
        assert_non_null(space);
        assert_int_equal(sscanf(space, "%d", &form[i]), 1);
        *space = 0;
    }
    v->pixels = (hst__image){.data = (uint8_t *)(uintptr_t)(end + 1),
                             .width = form[0],
                             .height = form[1],
                             .channels = form[2],
                             .bits = form[3]};
    v->pixels.stride = (size_t)form[0] * (size_t)(form[2] * form[3] / 8);
    size_t bytes = v->pixels.stride * (size_t)form[1];
    assert_true(bytes <= v->map.size - (size_t)(end + 1 - data));
    if (form[3] == 16) { /* where they lie need not be even */
        assert_true(bytes <= sizeof v->deep);
        memcpy(v->deep, end + 1, bytes);
        v->pixels.data = (uint8_t *)v->deep;
    }
    v->at = (size_t)(end + 1 - data) + bytes;
    return true;
}

static inline void vectors_close(vectors *v) { hst__file_map_close(&v->map); }

/** Sample i of row y, of 8 or 16 bits. */
static inline int sample(const hst__image *image, int y, int i) {
    const uint8_t *row = hst__image_row(image, y);
    uint16_t deep;
    if (image->bits == 8)
        return row[i];
    memcpy(&deep, row + 2 * (size_t)i, 2);
    return deep;
}

/** The largest difference of two samples; fails when the forms differ. */
static inline int farthest(const char *name, const hst__image *got,
                           const hst__image *want) {
    if (got->width != want->width || got->height != want->height ||
        got->channels != want->channels || got->bits != want->bits)
        fail_msg("%s: got %d x %d x %d of %d bits, wanted %d x %d x %d of %d", name,
                 got->width, got->height, got->channels, got->bits, want->width,
                 want->height, want->channels, want->bits);
    int most = 0;
    for (int y = 0; y < want->height; y++)
        for (int i = 0; i < want->width * want->channels; i++) {
            int d = sample(got, y, i) - sample(want, y, i);
            d = d < 0 ? -d : d;
            most = d > most ? d : most;
        }
    return most;
}

#endif
