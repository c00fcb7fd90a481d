/* Encoding: what is written is read again; drawing stays inside the picture. */
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "test_image_vectors.h"

static void make_source(hst__image *p, int w, int h, int channels, int bits) {
    hst_error err;
    assert_ok(hst__image_reshape(p, w, h, channels, bits, &err), &err);
    uint32_t r = 3;
    for (size_t i = 0; i < p->stride * (size_t)h; i++)
        p->data[i] = (uint8_t)((r = r * 1664525 + 1013904223) >> 24);
}

static void png_is_read_as_it_was(void **state) {
    (void)state;
    static const int channels[] = {1, 3, 4};
    hst__image p = {0}, back = {0};
    hst__bytes bytes = {0};
    hst_error err;
    for (int w = 1; w <= 40; w += 13)
        for (int k = 0; k < 6; k++) {
            int c = channels[k % 3], bits = k < 3 ? 8 : 16;
            hst__decode_options o = {.channels = c, .keep16 = true};
            make_source(&p, w, 9, c, bits);
            assert_ok(hst__image_encode_png(&p, &bytes, &err), &err);
            assert_ok(hst__image_decode(bytes.data, bytes.size, &o, &back, NULL, &err),
                      &err);
            assert_int_equal(farthest("png", &back, &p), 0);
        }
    hst__image_fini(&p);
    hst__image_fini(&back);
    hst__bytes_fini(&bytes);
}

/* A smooth picture comes back nearly as it was, at every quality better than at less. */
static void jpeg_is_read_nearly_as_it_was(void **state) {
    (void)state;
    static const int channels[] = {1, 3, 4}, quality[] = {30, 90, 100};
    hst__image p = {0}, back = {0}, want = {0};
    hst__bytes bytes = {0};
    hst_error err;
    for (int k = 0; k < 3; k++) {
        int c = channels[k], last = 256;
        assert_ok(hst__image_reshape(&p, 50, 33, c, 8, &err), &err);
        assert_ok(hst__image_reshape(&want, 50, 33, c == 4 ? 3 : c, 8, &err), &err);
        for (int y = 0; y < 33; y++)
            for (int x = 0; x < 50; x++)
                for (int i = 0; i < c; i++) {
                    uint8_t v = (uint8_t)(i == 3 ? 9 : 30 + 3 * x + 2 * y - 20 * i);
                    p.data[(size_t)y * p.stride + (size_t)(x * c + i)] = v;
                    if (i < 3)
                        want.data[(size_t)y * want.stride +
                                  (size_t)(x * want.channels + i)] = v;
                }
        for (int q = 0; q < 3; q++) {
            assert_ok(hst__image_encode_jpeg(&p, quality[q], &bytes, &err), &err);
            assert_ok(hst__image_decode(bytes.data, bytes.size, NULL, &back, NULL, &err),
                      &err);
            int d = farthest("jpeg", &back, &want);
            assert_true(d <= last);
            last = d;
        }
        assert_true(last <= 3);
    }
    assert_int_equal(hst__image_encode_jpeg(&p, 0, &bytes, &err), HST_E_ARG);
    assert_int_equal(hst__image_encode_jpeg(&p, 101, &bytes, &err), HST_E_ARG);
    make_source(&p, 5, 5, 3, 16);
    assert_int_equal(hst__image_encode_jpeg(&p, 90, &bytes, &err), HST_E_UNSUPPORTED);
    hst__image_fini(&p);
    hst__image_fini(&back);
    hst__image_fini(&want);
    hst__bytes_fini(&bytes);
}

static void files_by_their_ending(void **state) {
    (void)state;
    static const struct {
        const char *ending;
        int channels, bits, apart; /* apart: -1 for any */
        hst__image_format format;
    } cases[] = {{".png", 3, 16, 0, HST__IMAGE_PNG},  {".PNG", 1, 8, 0, HST__IMAGE_PNG},
                 {".ppm", 3, 8, 0, HST__IMAGE_PNM},   {".ppm", 3, 16, 0, HST__IMAGE_PNM},
                 {".pgm", 1, 16, 0, HST__IMAGE_PNM},  {".jpg", 3, 8, -1, HST__IMAGE_JPEG},
                 {".jpeg", 1, 8, -1, HST__IMAGE_JPEG}};
    char folder[] = "/tmp/hasten-image-XXXXXX", path[64];
    hst__image p = {0}, back = {0};
    hst_error err;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hst__file_map map;
        hst__decode_options o = {.keep16 = true};
        snprintf(path, sizeof path, "%s/p%s", folder, cases[i].ending);
        make_source(&p, 19, 7, cases[i].channels, cases[i].bits);
        assert_ok(hst__image_save(&p, path, &err), &err);
        assert_ok(hst__file_read(path, 1 << 20, &map, &err), &err);
        assert_int_equal(hst__image_detect(map.data, map.size), cases[i].format);
        assert_ok(hst__image_decode(map.data, map.size, &o, &back, NULL, &err), &err);
        int d = farthest(cases[i].ending, &back, &p);
        assert_true(cases[i].apart < 0 || d <= cases[i].apart);
        hst__file_map_close(&map);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(hst__image_save(&p, "p.gif", &err), HST_E_UNSUPPORTED);
    assert_int_equal(hst__image_save(&p, "/tmp/x.png/none", &err), HST_E_UNSUPPORTED);
    snprintf(path, sizeof path, "%s/none/p.png", folder);
    assert_int_equal(hst__image_save(&p, path, &err), HST_E_IO);
    assert_non_null(strstr(err.message, path));
    assert_int_equal(rmdir(folder), 0);
    hst__image_fini(&p);
    hst__image_fini(&back);
}

static size_t calls, failing;

static bool hook(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return ++calls != failing;
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    hst__image p = {0};
    hst_error err;
    make_source(&p, 90, 60, 3, 8);
    for (int k = 0; k < 2; k++) {
        hst__bytes bytes = {0};
        size_t total = SIZE_MAX;
        for (failing = 0; failing <= total || failing == 0; failing++) {
            calls = 0;
            hst__alloc_set_hook(hook, NULL);
            hst_status st = k ? hst__image_encode_png(&p, &bytes, &err)
                              : hst__image_encode_jpeg(&p, 95, &bytes, &err);
            hst__alloc_set_hook(NULL, NULL);
            if (failing == 0) {
                total = calls;
                assert_true(total >= 2);
            }
            if (st != (failing ? HST_E_NOMEM : HST_OK))
                fail_msg("encoder %d, allocation %zu of %zu: %d: %s", k, failing, total,
                         st, st ? err.message : "");
            assert_true(failing ? bytes.size == 0 : bytes.size > 4096);
            hst__bytes_fini(&bytes);
        }
    }
    hst__image_fini(&p);
}

/* ---- drawing -------------------------------------------------------------------------
 */

enum { W = 60, H = 40, MARGIN = 5, MARK = 0xa5 };

/* A picture within a larger block whose margins are marked. */
static uint8_t block[(H + 2 * MARGIN) * (W + 2 * MARGIN) * 4];

static hst__image canvas(int channels) {
    size_t stride = (size_t)((W + 2 * MARGIN) * channels);
    hst__image p = {.data = block + MARGIN * stride + (size_t)(MARGIN * channels),
                    .stride = stride,
                    .width = W,
                    .height = H,
                    .channels = channels,
                    .bits = 8};
    memset(block, MARK, sizeof block);
    for (int y = 0; y < H; y++)
        memset(p.data + (size_t)y * stride, 0, (size_t)(W * channels));
    return p;
}

static void margins_are_untouched(const hst__image *p) {
    for (size_t i = 0; i < sizeof block; i++) {
        size_t row = i / p->stride, column = i % p->stride / (size_t)p->channels;
        bool inside =
            row >= MARGIN && row < H + MARGIN && column >= MARGIN && column < W + MARGIN;
        if (!inside && block[i] != MARK)
            fail_msg("written outside: row %zu, column %zu", row, column);
    }
}

static void drawing_stays_inside(void **state) {
    (void)state;
    static const float corners[] = {-1e30f, -INFINITY, -20000, -3.5f, 0,        12.4f,
                                    39,     60,        61,     1e9f,  INFINITY, NAN};
    static const char *const labels[] = {NULL, "", "dog 0.93",
                                         "\xc3\xa4\xf0\x9f\x90\xb6\xff",
                                         "a label far longer than the picture is wide"};
    enum { N = sizeof corners / sizeof *corners };
    static const int channels[] = {1, 3, 4};
    for (int c = 0; c < 3; c++) {
        hst__image p = canvas(channels[c]);
        for (int i = 0; i < N * N * N * N; i += 7)
            hst__image_draw_box(&p, corners[i % N], corners[i / N % N],
                                corners[i / N / N % N], corners[i / N / N / N],
                                hst__image_colour(i), labels[i % 5]);
        margins_are_untouched(&p);
        static const int places[] = {INT32_MIN, -300, -9, 0, 31, 59, 60, 400, INT32_MAX};
        for (int i = 0; i < 81; i++) {
            hst__colour colour = hst__image_colour(-i);
            hst__image_draw_text(&p, places[i % 9], places[i / 9], 1 + i % 3, "Ay\n\x01",
                                 colour);
            hst__image_fill_rect(
                &p,
                (hst__image_rect){places[i % 9], places[i / 9], places[8 - i % 9], 50},
                colour);
            hst__image_frame_rect(
                &p,
                (hst__image_rect){places[i % 9], places[i / 9], places[8 - i / 9], 70},
                1 + i * 1000, colour);
        }
        margins_are_untouched(&p);
    }
}

static void rectangles_are_where_they_should_be(void **state) {
    (void)state;
    hst__image p = canvas(3);
    hst__image_frame_rect(&p, (hst__image_rect){10, 8, 30, 20}, 2,
                          (hst__colour){200, 100, 50, 255});
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            bool outer = x >= 10 && x < 30 && y >= 8 && y < 20;
            bool inner = x >= 12 && x < 28 && y >= 10 && y < 18;
            assert_int_equal(sample(&p, y, 3 * x), outer && !inner ? 200 : 0);
        }
    hst__image_fill_rect(&p, (hst__image_rect){10, 8, 12, 9},
                         (hst__colour){0, 0, 250, 51});
    assert_int_equal(sample(&p, 8, 30), 160); /* a fifth of the way */
    assert_int_equal(sample(&p, 8, 32), 90);
    p = canvas(1);
    hst__image_draw_text(&p, 0, 0, 1, "I", (hst__colour){255, 255, 255, 255});
    int ink = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            ink += sample(&p, y, x) == 255;
            assert_true(sample(&p, y, x) == 0 || (x < 8 && y < 16));
        }
    assert_true(ink > 8);
    assert_int_equal(hst__image_draw_scale(&p), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_is_read_as_it_was),
        cmocka_unit_test(jpeg_is_read_nearly_as_it_was),
        cmocka_unit_test(files_by_their_ending),
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(drawing_stays_inside),
        cmocka_unit_test(rectangles_are_where_they_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
