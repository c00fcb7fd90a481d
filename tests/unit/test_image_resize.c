/* Resizes against Pillow and OpenCV (tools/golden/image_vectors.py), at every CPU level,
 * windows and boxes, limits, and every allocation failing. */
#include <stdlib.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "test_image_vectors.h"

static const char *const filters[] = {"nearest", "bilinear", "bicubic", "area",
                                      "lanczos"};
static const char *const conventions[] = {"pillow", "opencv", "pillow12"};

static int index_of(const char *name, const char *const *names, int n) {
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    fail_msg("%s is not known", name);
    return -1;
}

/** A source of the packed file, with samples of its own. */
typedef struct source {
    char name[32];
    hst__image pixels;
} source;

static void keep_source(source *s, const vectors *v) {
    hst_error err;
    const hst__image *p = &v->pixels;
    assert_int_equal(sscanf(v->head, "source %31s", s->name), 1);
    assert_ok(
        hst__image_reshape(&s->pixels, p->width, p->height, p->channels, p->bits, &err),
        &err);
    memcpy(s->pixels.data, p->data, p->stride * (size_t)p->height);
}

/* What differs most, by convention, filter and depth. */
static int worst[3][5][2];

static void run_record(const vectors *v, const source *sources, int n,
                       hst__resizer *resizer, hst__image *out) {
    char convention[16], filter[16], name[32];
    hst_error err;
    assert_int_equal(sscanf(v->head, "%15s %15s %31s", convention, filter, name), 3);
    const source *s = sources;
    while (s < sources + n && strcmp(s->name, name) != 0)
        s++;
    assert_true(s < sources + n);
    hst__resize_options o = {
        .filter = (hst__resize_filter)index_of(filter, filters, 5),
        .convention = (hst__resize_convention)index_of(convention, conventions, 3),
        .width = v->pixels.width,
        .height = v->pixels.height};
    for (int cpu = HST_CPU_AUTO; cpu <= HST_CPU_AVX512VNNI; cpu++) {
        o.cpu = (hst_cpu_level)cpu;
        assert_ok(hst__resizer_run(resizer, &s->pixels, &o, out, &err), &err);
        int d = farthest(v->head, out, &v->pixels);
        int *most = &worst[o.convention][o.filter][v->pixels.bits == 16];
        *most = d > *most ? d : *most;
        /* OpenCV's own levels differ by 1 where it computes in f32 or cubics */
        bool loose = o.convention == HST__RESIZE_OPENCV &&
                     (o.filter == HST__RESIZE_BICUBIC ||
                      (o.filter == HST__RESIZE_BILINEAR && v->pixels.bits == 16));
        if (d > (loose ? 1 : 0))
            fail_msg("%s to %d x %d, %d bits: %d apart", v->head, o.width, o.height,
                     v->pixels.bits, d);
    }
}

static void pixels_of_pillow_and_opencv(void **state) {
    (void)state;
    static vectors v;
    source sources[16] = {0};
    hst__resizer resizer = {0};
    hst__image out = {0};
    int n = 0, count = 0;
    vectors_open(&v, "resize.bin");
    while (vectors_next(&v)) {
        if (strncmp(v.head, "source ", 7) == 0) {
            assert_true(n < 16);
            keep_source(&sources[n++], &v);
            continue;
        }
        run_record(&v, sources, n, &resizer, &out);
        count++;
    }
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < 5; f++)
            print_message("%-8s %-8s  of 8 bits %d, of 16 bits %d apart at most\n",
                          conventions[c], filters[f], worst[c][f][0], worst[c][f][1]);
    assert_true(count >= 200);
    for (int i = 0; i < n; i++)
        hst__image_fini(&sources[i].pixels);
    hst__image_fini(&out);
    hst__resizer_fini(&resizer);
    vectors_close(&v);
}

static void make_source(hst__image *p, int w, int h, int channels, int bits) {
    hst_error err;
    assert_ok(hst__image_reshape(p, w, h, channels, bits, &err), &err);
    uint32_t r = 7;
    for (size_t i = 0; i < p->stride * (size_t)h; i++)
        p->data[i] = (uint8_t)((r = r * 1664525 + 1013904223) >> 24);
}

/* Resize, then crop, at the cost of the crop: the same bytes. */
static void a_window_is_part_of_the_whole(void **state) {
    (void)state;
    static const int sizes[][2] = {{40, 30}, {13, 50}, {50, 7},
                                   {20, 15}, {10, 15}, {31, 29}};
    static const int forms[][2] = {{1, 8}, {3, 8}, {4, 8}, {3, 16}};
    hst__resizer whole = {0}, part = {0};
    hst__image src = {0}, a = {0}, b = {0};
    hst_error err;
    for (size_t i = 0; i < 4 * 6 * 15; i++) {
        const int *form = forms[i % 4], *size = sizes[i / 4 % 6];
        hst__resize_options o = {.filter = (hst__resize_filter)(i / 24 % 5),
                                 .convention = (hst__resize_convention)(i / 120),
                                 .width = size[0],
                                 .height = size[1]};
        if (o.filter == HST__RESIZE_LANCZOS && o.convention == HST__RESIZE_OPENCV)
            continue;
        make_source(&src, 40, 30, form[0], form[1]);
        assert_ok(hst__resizer_run(&whole, &src, &o, &a, &err), &err);
        o.window = (hst__image_rect){3, 2, size[0] - 4, size[1] - 1};
        assert_ok(hst__resizer_run(&part, &src, &o, &b, &err), &err);
        size_t pixel = (size_t)(form[0] * form[1] / 8);
        hst__image want = a;
        want.data += 2 * a.stride + 3 * pixel;
        want.width = o.window.x1 - o.window.x0;
        want.height = o.window.y1 - o.window.y0;
        if (farthest("window", &b, &want) != 0)
            fail_msg("%s %s to %d x %d: the window differs", conventions[o.convention],
                     filters[o.filter], size[0], size[1]);
    }
    hst__image_fini(&src);
    hst__image_fini(&a);
    hst__image_fini(&b);
    hst__resizer_fini(&whole);
    hst__resizer_fini(&part);
}

/* OpenCV's region ends where the box ends: the same as a borrowed part. A source with
 * rows farther apart than its pixels need, into a borrowed result. */
static void boxes_and_borrowed_rows(void **state) {
    (void)state;
    hst__resizer r = {0}, q = {0};
    hst__image src = {0}, a = {0};
    hst_error err;
    uint8_t room[9 * 40 + 8];
    make_source(&src, 40, 30, 3, 8);
    hst__image part = {.data = src.data + 4 * src.stride + 5 * 3,
                       .stride = src.stride,
                       .width = 21,
                       .height = 17,
                       .channels = 3,
                       .bits = 8};
    for (int f = 0; f < HST__RESIZE_LANCZOS; f++) {
        hst__resize_options o = {.filter = (hst__resize_filter)f,
                                 .convention = HST__RESIZE_OPENCV,
                                 .width = 11,
                                 .height = 9};
        hst__image b = {.data = room,
                        .stride = 40,
                        .width = 11,
                        .height = 9,
                        .channels = 3,
                        .bits = 8};
        memset(room, 0xa5, sizeof room);
        assert_ok(hst__resizer_run(&q, &part, &o, &b, &err), &err);
        o.box = (hst__image_rect){5, 4, 26, 21};
        assert_ok(hst__resizer_run(&r, &src, &o, &a, &err), &err);
        assert_int_equal(farthest("box", &b, &a), 0);
        for (int y = 0; y < 9; y++)
            for (int x = 33; x < 40; x++)
                assert_int_equal(room[y * 40 + x], 0xa5);
    }
    hst__image_fini(&src);
    hst__image_fini(&a);
    hst__resizer_fini(&r);
    hst__resizer_fini(&q);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    hst__resizer r = {0};
    hst__image src = {0}, out = {0};
    hst_error err;
    const struct {
        hst__resize_options o;
        hst_status want;
    } cases[] = {
        {{.width = 0, .height = 5}, HST_E_ARG},
        {{.width = 5, .height = -1}, HST_E_ARG},
        {{.width = HST__IMAGE_MAX_SIDE + 1, .height = 1}, HST_E_ARG},
        {{.width = 5, .height = 5, .box = {0, 0, 11, 8}}, HST_E_ARG},
        {{.width = 5, .height = 5, .box = {3, 0, 3, 8}}, HST_E_ARG},
        {{.width = 5, .height = 5, .window = {-1, 0, 3, 3}}, HST_E_ARG},
        {{.width = 5, .height = 5, .window = {0, 0, 6, 5}}, HST_E_ARG},
        {{.width = 5, .height = 5, .filter = (hst__resize_filter)9}, HST_E_ARG},
        {{.width = 5, .height = 5, .convention = (hst__resize_convention)7}, HST_E_ARG},
        {{.width = 5,
          .height = 5,
          .filter = HST__RESIZE_LANCZOS,
          .convention = HST__RESIZE_OPENCV},
         HST_E_UNSUPPORTED},
        {{.width = 1 << 20, .height = 1 << 20}, HST_E_LIMIT},
    };
    hst__resize_options o = {.width = 4, .height = 4};
    assert_int_equal(hst__resizer_run(&r, &src, &o, &out, &err), HST_E_ARG); /* empty */
    make_source(&src, 10, 8, 3, 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        err = (hst_error){0};
        assert_int_equal(hst__resizer_run(&r, &src, &cases[i].o, &out, &err),
                         cases[i].want);
        assert_true(*err.message);
    }
    assert_ok(hst__resizer_run(&r, &src, &o, &out, &err), &err);
    hst__image_fini(&src);
    hst__image_fini(&out);
    hst__resizer_fini(&r);
}

static size_t calls, failing;

static bool hook(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return ++calls != failing;
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    hst__image src = {0}, out = {0};
    hst_error err;
    make_source(&src, 20, 16, 3, 8);
    for (int k = 0; k < 10; k++) {
        hst__resizer r = {0};
        hst__resize_options o = {.filter = (hst__resize_filter)(k % 5),
                                 .convention = (hst__resize_convention)(k / 5),
                                 .width = 13,
                                 .height = 9};
        if (k == 9)
            continue;
        calls = failing = 0;
        hst__alloc_set_hook(hook, NULL);
        assert_ok(hst__resizer_run(&r, &src, &o, &out, &err), &err);
        size_t total = calls;
        assert_true(total >= 2);
        calls = 0; /* the next of its size takes none */
        assert_ok(hst__resizer_run(&r, &src, &o, &out, &err), &err);
        assert_int_equal(calls, 0);
        for (failing = 1; failing <= total; failing++) {
            hst__resizer_fini(&r);
            hst__image_fini(&out);
            calls = 0;
            assert_int_equal(hst__resizer_run(&r, &src, &o, &out, &err), HST_E_NOMEM);
            assert_ok(hst__resizer_run(&r, &src, &o, &out, &err), &err);
        }
        hst__alloc_set_hook(NULL, NULL);
        hst__resizer_fini(&r);
        hst__image_fini(&out);
    }
    hst__image_fini(&src);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_of_pillow_and_opencv),
        cmocka_unit_test(a_window_is_part_of_the_whole),
        cmocka_unit_test(boxes_and_borrowed_rows),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
