/* Pictures to tensors: each value by the formula of image.h, in every order, layout, type
 * and width, between canaries, at every CPU level. */
#include <stdlib.h>

#include "base/memory.h"
#include "image/image.h"
#include "support/test.h"

enum { CANARY = 64, ROOM = 1 << 16 };

static uint8_t room[ROOM + 2 * CANARY];

static void make_source(hst__image *p, int w, int h, int channels, int bits) {
    hst_error err;
    assert_ok(hst__image_reshape(p, w, h, channels, bits, &err), &err);
    uint32_t r = 5;
    for (size_t i = 0; i < p->stride * (size_t)h; i++)
        p->data[i] = (uint8_t)((r = r * 1664525 + 1013904223) >> 24);
}

static unsigned get(const hst__image *p, int x, int y, int c) {
    size_t i = (size_t)(x * p->channels + c);
    return p->bits == 8 ? hst__image_row(p, y)[i]
                        : ((const uint16_t *)(const void *)hst__image_row(p, y))[i];
}

/* Channel c of the tensor at x, y, as image.h defines it. */
static float formula(const hst__image *p, const hst__convert_options *o, int channels,
                     int x, int y, int c) {
    double std = o->std[c] != 0 ? o->std[c] : 1, scale = o->scale != 0 ? o->scale : 1;
    float a = (float)(scale / std), b = (float)(-o->mean[c] / std);
    x -= o->x;
    y -= o->y;
    float v;
    if (x < 0 || y < 0 || x >= p->width || y >= p->height)
        v = (float)o->pad[c];
    else if (p->channels == 1)
        v = (float)get(p, x, y, 0);
    else if (channels == 1)
        v = (float)(((uint64_t)get(p, x, y, 0) * 19595 +
                     (uint64_t)get(p, x, y, 1) * 38470 +
                     (uint64_t)get(p, x, y, 2) * 7471 + 32768) >>
                    16);
    else
        v = (float)get(p, x, y, o->bgr && c < 3 ? 2 - c : c);
    float product = v * a;
    return product + b;
}

static void check(const hst__image *p, const hst__convert_options *o) {
    size_t n;
    hst_error err;
    bool u8 = o->type == HST__CONVERT_U8;
    assert_ok(hst__image_convert_size(p, o, &n, &err), &err);
    int w = o->width ? o->width : p->width, h = o->height ? o->height : p->height;
    int channels = o->channels ? o->channels : p->channels;
    assert_int_equal(n, w * h * channels);
    size_t bytes = n * (u8 ? 1 : sizeof(float));
    assert_true(bytes <= ROOM);
    memset(room, 0xa5, sizeof room);
    assert_ok(hst__image_convert(p, o, room + CANARY, n, &err), &err);
    for (size_t i = 0; i < CANARY; i++)
        if (room[i] != 0xa5 || room[CANARY + bytes + i] != 0xa5)
            fail_msg("%d x %d: written outside the tensor", w, h);
    for (size_t i = 0; i < n; i++) {
        int c = (int)(o->hwc ? i % (size_t)channels : i / (size_t)(w * h));
        int at = (int)(o->hwc ? i / (size_t)channels : i % (size_t)(w * h));
        float want = formula(p, o, channels, at % w, at / w, c), got;
        if (u8) {
            want = want >= 255 ? 255 : want > 0 ? rintf(want) : 0;
            got = room[CANARY + i];
        } else {
            memcpy(&got, room + CANARY + 4 * i, 4);
        }
        if (got != want)
            fail_msg(
                "%d x %d x %d of %d bits to %d channels, hwc %d bgr %d u8 %d cpu %d: "
                "value %zu is %.9g, wanted %.9g",
                p->width, p->height, p->channels, p->bits, channels, o->hwc, o->bgr, u8,
                o->cpu, i, (double)got, (double)want);
    }
}

/* All combinations, for widths with every tail of a vector. */
static void every_form_and_width(void **state) {
    (void)state;
    static const int forms[][3] = {/* channels, bits, of the tensor */
                                   {1, 8, 0},  {3, 8, 0}, {4, 8, 0}, {1, 8, 3},
                                   {3, 8, 1},  {4, 8, 3}, {4, 8, 1}, {3, 16, 0},
                                   {1, 16, 3}, {4, 16, 1}};
    hst__image p = {0};
    for (int w = 1; w <= 40; w++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            make_source(&p, w, 3, forms[f][0], forms[f][1]);
            for (int k = 0; k < 16 * (HST_CPU_AVX512VNNI + 1); k++) {
                hst__convert_options o = {.type =
                                              k & 1 ? HST__CONVERT_U8 : HST__CONVERT_F32,
                                          .hwc = k >> 1 & 1,
                                          .bgr = k >> 2 & 1,
                                          .channels = forms[f][2],
                                          .cpu = (hst_cpu_level)(k / 16)};
                if (k & 8) { /* u8: values beyond both ends */
                    o.scale = k & 1 ? 1.7 : 1 / 255.0;
                    for (int c = 0; c < 4; c++) {
                        o.mean[c] = k & 1 ? 40 + c : 0.485 - 0.03 * c;
                        o.std[c] = k & 1 ? 1.1 : 0.229 + 0.01 * c;
                    }
                }
                check(&p, &o);
            }
        }
    hst__image_fini(&p);
}

/* Letterbox: the picture anywhere in a larger tensor, the rest padding. */
static void padding_surrounds_the_picture(void **state) {
    (void)state;
    hst__image p = {0};
    for (int k = 0; k < 64; k++) {
        make_source(&p, 11, 6, k & 1 ? 3 : 1, 8);
        hst__convert_options o = {.type = k & 2 ? HST__CONVERT_U8 : HST__CONVERT_F32,
                                  .hwc = k & 4,
                                  .bgr = k & 8,
                                  .channels = 3,
                                  .scale = k & 2 ? 1 : 0.5,
                                  .mean = {0.25, 3, 1},
                                  .std = {2, 1, 0.75},
                                  .width = 17,
                                  .height = 9,
                                  .x = k & 16 ? 6 : 0,
                                  .y = k & 32 ? 3 : 1,
                                  .pad = {114, 7, 255}};
        check(&p, &o);
    }
    hst__image_fini(&p);
}

/* Halves go to the even neighbour, what is beyond the ends to the ends. */
static void bytes_round_to_even(void **state) {
    (void)state;
    uint8_t in[6] = {1, 3, 5, 7, 255, 0}, out[6];
    static const uint8_t halves[6] = {0, 2, 2, 4, 128, 0},
                         shifted[6] = {0, 0, 0, 0, 155, 0};
    hst__image p = {
        .data = in, .stride = 6, .width = 6, .height = 1, .channels = 1, .bits = 8};
    hst__convert_options o = {.type = HST__CONVERT_U8, .scale = 0.5};
    hst_error err;
    assert_ok(hst__image_convert(&p, &o, out, 6, &err), &err);
    assert_memory_equal(out, halves, 6);
    o = (hst__convert_options){.type = HST__CONVERT_U8, .mean = {100}};
    assert_ok(hst__image_convert(&p, &o, out, 6, &err), &err);
    assert_memory_equal(out, shifted, 6);
}

/* Rows farther apart than their pixels: what lies between is not read as pixels. */
static void rows_with_a_stride(void **state) {
    (void)state;
    hst__image whole = {0};
    make_source(&whole, 40, 12, 3, 8);
    hst__image part = whole;
    part.data += 3 * whole.stride + 5 * 3;
    part.capacity = 0;
    part.width = 21;
    part.height = 7;
    for (int k = 0; k < 8; k++)
        check(&part,
              &(hst__convert_options){.type = k & 1 ? HST__CONVERT_U8 : HST__CONVERT_F32,
                                      .hwc = k & 2,
                                      .bgr = k & 4});
    hst__image_fini(&whole);
}

static size_t calls;

static bool count(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    calls++;
    return false;
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    hst__image p = {0}, empty = {0};
    hst_error err;
    float out[48];
    make_source(&p, 4, 4, 3, 8);
    const struct {
        hst__convert_options o;
        size_t room;
        hst_status want;
    } cases[] = {
        {{.channels = 2}, 48, HST_E_ARG},
        {{.channels = 4}, 48, HST_E_ARG},
        {{.type = (hst__convert_type)5}, 48, HST_E_ARG},
        {{.width = 3}, 48, HST_E_SHAPE},
        {{.x = 1}, 48, HST_E_SHAPE},
        {{.y = -1}, 48, HST_E_SHAPE},
        {{.width = -4}, 48, HST_E_SHAPE},
        {{.x = INT32_MAX, .width = 5}, 48, HST_E_SHAPE},
        {{.hwc = true}, 47, HST_E_SHAPE},
    };
    hst__alloc_set_hook(count, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        err = (hst_error){0};
        hst_status st = hst__image_convert(&p, &cases[i].o, out, cases[i].room, &err);
        if (st != cases[i].want || !*err.message)
            fail_msg("case %zu: %d: %s", i, st, err.message);
    }
    hst__convert_options o = {0};
    assert_int_equal(hst__image_convert(&empty, &o, out, 48, &err), HST_E_ARG);
    assert_ok(hst__image_convert(&p, &o, out, 48, &err), &err);
    hst__alloc_set_hook(NULL, NULL);
    assert_int_equal(calls, 0);
    hst__image_fini(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_and_width),
        cmocka_unit_test(padding_surrounds_the_picture),
        cmocka_unit_test(bytes_round_to_even),
        cmocka_unit_test(rows_with_a_stride),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
