/* Pictures row by row: what is made while the source comes into being is what is made of
 * the whole. */
#include <stdlib.h>

#include "base/status.h"
#include "test_image_vectors.h"

static uint32_t seed = 11;

static int any(int low, int high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (int)((seed >> 8) % (uint32_t)(high - low + 1));
}

static void noise(hst__image *p, int w, int h, int channels, int bits) {
    hst_error err;
    assert_ok(hst__image_reshape(p, w, h, channels, bits, &err), &err);
    for (size_t i = 0; i < p->stride * (size_t)h; i++)
        p->data[i] = (uint8_t)any(0, 255);
}

/** More rows of `from` arrive in `to`: those from *ready on, up to a few or all. */
static void arrive(const hst__image *from, hst__image *to, int *ready) {
    int more = any(0, 3) ? any(0, 5) : any(0, from->height);
    int end = *ready + more < from->height ? *ready + more : from->height;
    memcpy(to->data + (size_t)*ready * to->stride, hst__image_row(from, *ready),
           (size_t)(end - *ready) * to->stride);
    *ready = end;
}

static bool random_resize(hst__resize_options *o, const hst__image *src) {
    *o = (hst__resize_options){.filter = (hst__resize_filter)any(0, 4),
                               .convention = (hst__resize_convention)any(0, 2),
                               .width = any(1, 50),
                               .height = any(1, 50)};
    if (any(0, 4) == 0) { /* whole ratios, and sizes that stay */
        o->width = any(0, 1) ? src->width : src->width / 2;
        o->height = any(0, 1) ? src->height : src->height / 2;
    }
    if (any(0, 2) == 0)
        o->window = (hst__image_rect){o->width / 4, o->height / 3, o->width, o->height};
    if (any(0, 3) == 0)
        o->box = (hst__image_rect){src->width / 5, src->height / 4, src->width - 1,
                                   src->height - 2};
    return o->width > 0 && o->height > 0;
}

static void a_resize_in_pieces(void **state) {
    (void)state;
    static const int forms[][2] = {{1, 8}, {3, 8}, {4, 8}, {3, 16}};
    hst__resizer whole = {0}, pieces = {0};
    hst__image src = {0}, part = {0}, a = {0}, b = {0};
    hst_error err;
    int done = 0;
    for (int i = 0; i < 3000; i++) {
        const int *form = forms[any(0, 3)];
        hst__resize_options o;
        noise(&src, any(8, 60), any(8, 60), form[0], form[1]);
        noise(&part, src.width, src.height, form[0], form[1]);
        if (!random_resize(&o, &src) || hst__resizer_run(&whole, &src, &o, &a, &err))
            continue;
        int ready = 0, made = 0;
        assert_ok(hst__resizer_begin(&pieces, &part, &o, &b, &err), &err);
        while (ready < src.height) {
            arrive(&src, &part, &ready);
            int now = hst__resizer_rows(&pieces, &part, ready, &b);
            assert_true(now >= made && now <= b.height);
            made = now;
        }
        assert_int_equal(made, b.height);
        if (farthest("pieces", &b, &a) != 0)
            fail_msg("filter %d, convention %d, %d x %d to %d x %d", o.filter,
                     o.convention, src.width, src.height, o.width, o.height);
        done++;
    }
    assert_true(done > 2000);
    hst__image_fini(&src);
    hst__image_fini(&part);
    hst__image_fini(&a);
    hst__image_fini(&b);
    hst__resizer_fini(&whole);
    hst__resizer_fini(&pieces);
}

static void a_tensor_in_pieces(void **state) {
    (void)state;
    enum { ROOM = 40 * 40 * 4 };
    static float want[ROOM], got[ROOM];
    hst__image src = {0}, part = {0};
    hst_error err;
    for (int i = 0; i < 500; i++) {
        int channels = any(0, 2) ? 3 : any(0, 1) ? 1 : 4;
        noise(&src, any(1, 30), any(1, 30), channels, any(0, 4) ? 8 : 16);
        noise(&part, src.width, src.height, channels, src.bits);
        hst__convert_options o = {.type = any(0, 1) ? HST__CONVERT_F32 : HST__CONVERT_U8,
                                  .hwc = any(0, 1),
                                  .bgr = any(0, 1),
                                  .scale = any(0, 1) ? 0 : 0.25,
                                  .mean = {1, 2, 3},
                                  .pad = {9, 8, 7, 6},
                                  .width = 40,
                                  .height = 40,
                                  .x = any(0, 10),
                                  .y = any(0, 10)};
        memset(want, 0xa5, sizeof want);
        memset(got, 0xa5, sizeof got);
        assert_ok(hst__image_convert(&src, &o, want, ROOM, &err), &err);
        for (int ready = 0, from = 0; from < src.height; from = ready) {
            arrive(&src, &part, &ready);
            assert_ok(hst__image_convert_rows(&part, &o, from, ready, got, ROOM, &err),
                      &err);
        }
        assert_memory_equal(got, want, sizeof want);
    }
    hst__convert_options o = {0};
    assert_int_equal(
        hst__image_convert_rows(&src, &o, 0, src.height + 1, got, ROOM, &err), HST_E_ARG);
    assert_int_equal(hst__image_convert_rows(&src, &o, 1, 0, got, ROOM, &err), HST_E_ARG);
    hst__image_fini(&src);
    hst__image_fini(&part);
}

/** What a decode has told so far. */
typedef struct watch {
    hst__image copy;
    int ready, calls, stop; /**< after so many calls; 0 never */
} watch;

static hst_status see_rows(void *context, const hst__image *image, int ready,
                           hst_error *err) {
    watch *w = context;
    if (w->stop && w->calls == w->stop)
        return hst__fail(err, HST_E_VALUE_NEEDED, "stopped");
    if (w->calls++ == 0)
        assert_ok(hst__image_reshape(&w->copy, image->width, image->height,
                                     image->channels, image->bits, err),
                  err);
    assert_true(ready > w->ready && ready <= image->height);
    for (int y = w->ready; y < ready; y++)
        memcpy(w->copy.data + (size_t)y * w->copy.stride, hst__image_row(image, y),
               w->copy.stride);
    w->ready = ready;
    return HST_OK;
}

static void decode_watched(const char *what, const void *bytes, size_t size,
                           hst__decode_options o, watch *w) {
    hst__image out = {0};
    hst_error err = {0};
    bool damaged;
    w->ready = w->calls = 0;
    o.rows = see_rows;
    o.rows_context = w;
    if (hst__image_decode(bytes, size, &o, &out, &damaged, &err))
        fail_msg("%s: %s", what, err.message);
    assert_int_equal(w->ready, out.height);
    if (farthest(what, &w->copy, &out) != 0)
        fail_msg("%s: rows changed after they were given", what);
    hst__image_fini(&out);
}

static void rows_while_they_are_decoded(void **state) {
    (void)state;
    static const char *const names[] = {"base_420.jpg", "base_444.jpg", "cmyk.jpg",
                                        "grey.jpg",     "prog_420.jpg", "p6.ppm",
                                        "grey8.png",    "palette8.png", "index8.bmp"};
    hst__image picture = {0};
    hst__bytes jpeg = {0};
    hst_error err;
    watch w = {.stop = 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        hst__file_map map;
        snprintf(path, sizeof path, IMAGE_GOLDEN "%s", names[i]);
        assert_ok(hst__file_read(path, (size_t)1 << 20, &map, &err), &err);
        decode_watched(names[i], map.data, map.size, (hst__decode_options){0}, &w);
        hst__file_map_close(&map);
    }
    noise(&picture, 203, 151, 3, 8);
    assert_ok(hst__image_encode_jpeg(&picture, 80, &jpeg, &err), &err);
    for (int level = 0; level < 2; level++) { /* by the library, and by us */
        hst__decode_options o = {.cpu = level ? hst_cpu_best() : HST_CPU_REF};
        decode_watched("large", jpeg.data, jpeg.size, o, &w);
        assert_true(w.calls >= 9);
        o.lenient = true; /* ours gives up halfway, the rest is grey */
        decode_watched("cut", jpeg.data, jpeg.size / 2, o, &w);
        assert_true(w.calls >= 3);
        o.want_width = 50;
        o.want_height = 30;
        decode_watched("reduced", jpeg.data, jpeg.size, o, &w);
    }
    hst__image out = {0};
    w = (watch){.copy = w.copy, .stop = 2};
    hst__decode_options o = {.rows = see_rows, .rows_context = &w};
    assert_int_equal(hst__image_decode(jpeg.data, jpeg.size, &o, &out, NULL, &err),
                     HST_E_VALUE_NEEDED);
    assert_int_equal(w.calls, 2);
    hst__image_fini(&out);
    hst__image_fini(&picture);
    hst__image_fini(&w.copy);
    hst__bytes_fini(&jpeg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resize_in_pieces),
        cmocka_unit_test(a_tensor_in_pieces),
        cmocka_unit_test(rows_while_they_are_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
