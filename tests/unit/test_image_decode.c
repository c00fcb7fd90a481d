/* Decoding against Pillow and OpenCV (tools/golden/image_vectors.py), options, files that
 * are cut or lie, and every allocation failing. */
#include <dirent.h>
#include <stdlib.h>

#include "base/memory.h"
#include "test_image_vectors.h"

static void read_golden(const char *name, hst__file_map *map) {
    char path[512];
    hst_error err;
    snprintf(path, sizeof path, IMAGE_GOLDEN "%s", name);
    assert_ok(hst__file_read(path, (size_t)1 << 20, map, &err), &err);
}

static void decode_golden(const char *name, const hst__decode_options *o,
                          hst__image *out) {
    hst__file_map map;
    hst_error err;
    bool damaged;
    read_golden(name, &map);
    hst_status st = hst__image_decode(map.data, map.size, o, out, &damaged, &err);
    if (st)
        fail_msg("%s: %s", name, err.message);
    assert_false(damaged);
    hst__file_map_close(&map);
}

static void pixels_of_pillow_and_opencv(void **state) {
    (void)state;
    static vectors v;
    hst__image got = {0};
    int count = 0;
    vectors_open(&v, "decode.bin");
    while (vectors_next(&v)) {
        char file[64];
        int channels, keep16, upright;
        assert_int_equal(
            sscanf(v.head, "%63s %d %d %d", file, &channels, &keep16, &upright), 4);
        hst__decode_options o = {
            .channels = channels, .keep16 = keep16, .ignore_orientation = !upright};
        decode_golden(file, &o, &got);
        int d = farthest(v.head, &got, &v.pixels);
        if (d > 0)
            fail_msg("%s: %d apart", v.head, d);
        count++;
    }
    print_message("%d pictures, every sample equal\n", count);
    assert_true(count >= 70);
    hst__image_fini(&got);
    vectors_close(&v);
}

static void probe_tells_the_form(void **state) {
    (void)state;
    static const struct {
        const char *file;
        hst__image_info info;
    } cases[] = {
        {"base_420.jpg", {HST__IMAGE_JPEG, 29, 21, 3, 8, 1, false}},
        {"prog_444.jpg", {HST__IMAGE_JPEG, 29, 21, 3, 8, 1, true}},
        {"grey.jpg", {HST__IMAGE_JPEG, 29, 21, 1, 8, 1, false}},
        {"cmyk.jpg", {HST__IMAGE_JPEG, 29, 21, 4, 8, 1, false}},
        {"turn_6.jpg", {HST__IMAGE_JPEG, 18, 14, 3, 8, 6, false}},
        {"grey1.png", {HST__IMAGE_PNG, 29, 21, 1, 1, 1, false}},
        {"rgb16_laced.png", {HST__IMAGE_PNG, 29, 21, 3, 16, 1, true}},
        {"palette4.png", {HST__IMAGE_PNG, 29, 21, 3, 8, 1, false}},
        {"palette_alpha.png", {HST__IMAGE_PNG, 29, 21, 4, 8, 1, false}},
        {"grey_alpha8.png", {HST__IMAGE_PNG, 29, 21, 2, 8, 1, false}},
        {"turn_6.png", {HST__IMAGE_PNG, 29, 21, 3, 8, 6, false}},
        {"p1.pbm", {HST__IMAGE_PNM, 5, 3, 1, 1, 1, false}},
        {"p6_16.ppm", {HST__IMAGE_PNM, 29, 21, 3, 16, 1, false}},
        {"rle8.bmp", {HST__IMAGE_BMP, 29, 21, 3, 8, 1, false}},
        {"grey8.bmp", {HST__IMAGE_BMP, 29, 21, 1, 8, 1, false}},
        {"top_down.bmp", {HST__IMAGE_BMP, 29, 21, 3, 8, 1, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hst__file_map map;
        hst__image_info got;
        hst_error err;
        const hst__image_info *want = &cases[i].info;
        read_golden(cases[i].file, &map);
        assert_ok(hst__image_probe(map.data, map.size, &got, &err), &err);
        if (got.format != want->format || got.width != want->width ||
            got.height != want->height || got.channels != want->channels ||
            got.bits != want->bits || got.orientation != want->orientation ||
            got.progressive != want->progressive)
            fail_msg("%s: %s %d x %d x %d, %d bits, orientation %d, progressive %d",
                     cases[i].file, hst__image_format_name(got.format), got.width,
                     got.height, got.channels, got.bits, got.orientation,
                     got.progressive);
        hst__file_map_close(&map);
    }
}

/* Alpha: dropped, blended, or made opaque where the file has none. */
static void alpha_is_dropped_or_blended(void **state) {
    (void)state;
    hst__image plain = {0}, blended = {0}, all = {0};
    hst__decode_options o = {.composite = true, .background = {10, 200, 90}};
    decode_golden("rgba8.png", NULL, &plain);
    decode_golden("rgba8.png", &o, &blended);
    decode_golden("rgba8.png", &(hst__decode_options){.channels = 4}, &all);
    assert_int_equal(blended.channels, 3);
    for (int y = 0; y < all.height; y++)
        for (int x = 0; x < all.width; x++)
            for (int c = 0; c < 3; c++) {
                int a = sample(&all, y, 4 * x + 3), v = sample(&all, y, 4 * x + c);
                assert_int_equal(sample(&plain, y, 3 * x + c), v);
                double want = (v * a + o.background[c] * (255.0 - a)) / 255;
                assert_close(sample(&blended, y, 3 * x + c), want, 0.5);
            }
    static const char *const opaque[] = {"base_420.jpg", "rgb8.png", "p6.ppm",
                                         "rgb24.bmp"};
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
        decode_golden(opaque[i], &(hst__decode_options){.channels = 4}, &all);
        for (int x = 0; x < all.width; x++)
            assert_int_equal(sample(&all, 3, 4 * x + 3), 255);
    }
    hst__image_fini(&plain);
    hst__image_fini(&blended);
    hst__image_fini(&all);
}

/* A smaller JPEG is never below what is wanted, and the turned picture counts. */
static void jpeg_at_a_reduced_size(void **state) {
    (void)state;
    hst__image out = {0};
    assert_int_equal(hst__image_jpeg_scale(800, 600, 100, 75), 1);
    assert_int_equal(hst__image_jpeg_scale(800, 600, 101, 75), 2);
    assert_int_equal(hst__image_jpeg_scale(800, 600, 0, 0), 8);
    assert_int_equal(hst__image_jpeg_scale(10, 10, 20, 20), 8);
    decode_golden("base_420.jpg",
                  &(hst__decode_options){.want_width = 14, .want_height = 5}, &out);
    assert_int_equal(out.width, 15);
    assert_int_equal(out.height, 11);
    decode_golden("turn_6.jpg", &(hst__decode_options){.want_width = 7, .want_height = 9},
                  &out); /* 14 x 18 upright */
    assert_int_equal(out.width, 7);
    assert_int_equal(out.height, 9);
    hst__image_fini(&out);
}

/* Every beginning of every file: a picture (only what follows the pixels is missing) or
 * an error with a message; lenient never worse than strict. Each ends where its block
 * does. */
static void truncated_anywhere(void **state) {
    (void)state;
    static const char *const files[] = {
        "base_420.jpg", "prog_420.jpg",    "cmyk.jpg",     "grey.jpg", "restart.jpg",
        "rgb8.png",     "rgb16_laced.png", "palette4.png", "p3.ppm",   "p6.ppm",
        "p5_16.pgm",    "p4.pbm",          "index4.bmp",   "rle8.bmp", "rgb565.bmp"};
    hst__image out = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hst__file_map map;
        read_golden(files[i], &map);
        size_t step = map.size > 1500 ? 7 : 1;
        for (size_t n = 0; n < map.size; n += step) {
            uint8_t *cut = malloc(n + 1);
            assert_non_null(cut);
            memcpy(cut + 1, map.data, n);
            hst_error err = {0};
            bool damaged;
            hst_status strict = hst__image_decode(cut + 1, n, NULL, &out, &damaged, &err);
            if (strict && (!*err.message || strict == HST_E_NOMEM || strict == HST_E_ARG))
                fail_msg("%s cut to %zu: %d '%s'", files[i], n, strict, err.message);
            hst_status loose =
                hst__image_decode(cut + 1, n, &(hst__decode_options){.lenient = true},
                                  &out, &damaged, &err);
            if (!strict && loose)
                fail_msg("%s cut to %zu: lenient fails: %s", files[i], n, err.message);
            if (strict != HST_OK && !loose && !damaged)
                fail_msg("%s cut to %zu: forgiven, but not said", files[i], n);
            free(cut);
        }
        hst__file_map_close(&map);
    }
    hst__image_fini(&out);
}

static void what_is_no_picture_says_so(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        hst_status status;
        const char *piece;
    } cases[] = {
        {"", 0, HST_E_FORMAT, "empty"},
        {"hello", 5, HST_E_FORMAT, "not a picture"},
        {"GIF89a", 6, HST_E_UNSUPPORTED, "GIF"},
        {"RIFF\0\0\0\0WEBPVP8 ", 16, HST_E_UNSUPPORTED, "WebP"},
        {"II*\0\0\0\0\0", 8, HST_E_UNSUPPORTED, "TIFF"},
        {"\xff\xd8\xff\xe0", 4, HST_E_FORMAT, "JPEG"},
        {"\x89PNG\r\n\x1a\n", 8, HST_E_FORMAT, "PNG"},
        {"P6 0 3 255\n", 11, HST_E_FORMAT, "0 x 3"},
        {"P5 3 3 70000\n", 13, HST_E_FORMAT, "70000"},
        {"P5 999999999 3 255\n", 19, HST_E_FORMAT, "P5"},
        {"P6 30000 30000 255\nabc", 22, HST_E_FORMAT, "truncated"},
        {"BM", 2, HST_E_FORMAT, "BMP"},
    };
    hst__image out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hst_error err = {0};
        hst_status st =
            hst__image_decode(cases[i].bytes, cases[i].size, NULL, &out, NULL, &err);
        if (st != cases[i].status || !strstr(err.message, cases[i].piece))
            fail_msg("case %zu: %d: %s", i, st, err.message);
        assert_null(out.data); /* nothing is allocated for a claim */
        assert_int_equal(
            hst__image_decode(cases[i].bytes, cases[i].size, NULL, &out, NULL, NULL), st);
    }
}

static void limits_hold(void **state) {
    (void)state;
    static const char *const files[] = {"base_420.jpg", "rgb8.png", "p6.ppm",
                                        "rgb24.bmp"};
    hst__image out = {0};
    hst__file_map map;
    hst_error err;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hst__decode_options o = {.max_pixels = 29 * 21 - 1};
        read_golden(files[i], &map);
        assert_int_equal(hst__image_decode(map.data, map.size, &o, &out, NULL, &err),
                         HST_E_LIMIT);
        o.max_pixels++;
        assert_ok(hst__image_decode(map.data, map.size, &o, &out, NULL, &err), &err);
        hst__file_map_close(&map);
    }
    read_golden("prog_444.jpg", &map);
    assert_int_equal(hst__image_decode(map.data, map.size,
                                       &(hst__decode_options){.max_scans = 2}, &out, NULL,
                                       &err),
                     HST_E_LIMIT);
    assert_non_null(strstr(err.message, "scans"));
    hst_status st = hst__image_decode(
        map.data, map.size, &(hst__decode_options){.channels = 2}, &out, NULL, &err);
    assert_int_equal(st, HST_E_ARG);
    hst__file_map_close(&map);
    hst__image_fini(&out);
}

/* ---- allocations ---------------------------------------------------------------------
 */

static size_t calls, failing;

static bool hook(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return ++calls != failing;
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    static const char *const files[] = {"base_420.jpg", "turn_6.jpg", "rgb16.png",
                                        "p3.ppm", "rle8.bmp"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hst__file_map map;
        hst_error err;
        hst__image out = {0};
        read_golden(files[i], &map);
        calls = failing = 0;
        hst__alloc_set_hook(hook, NULL);
        assert_ok(hst__image_decode(map.data, map.size, NULL, &out, NULL, &err), &err);
        size_t total = calls;
        assert_true(total >= 1);
        calls = 0; /* the second picture of a size takes no memory of ours */
        assert_ok(hst__image_decode(map.data, map.size, NULL, &out, NULL, &err), &err);
        assert_int_equal(calls, 0);
        hst__image_fini(&out);
        for (failing = 1; failing <= total; failing++) {
            calls = 0;
            assert_int_equal(
                hst__image_decode(map.data, map.size, NULL, &out, NULL, &err),
                HST_E_NOMEM);
            hst__image_fini(&out);
        }
        hst__alloc_set_hook(NULL, NULL);
        hst__file_map_close(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_of_pillow_and_opencv),
        cmocka_unit_test(probe_tells_the_form),
        cmocka_unit_test(alpha_is_dropped_or_blended),
        cmocka_unit_test(jpeg_at_a_reduced_size),
        cmocka_unit_test(truncated_anywhere),
        cmocka_unit_test(what_is_no_picture_says_so),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
