/* Rows of pixels to tensors: the reference's bits. */
#include <stdio.h>

#include "kcheck.h"
#include "kernels/pixels.h"

static const uint8_t *bytes(kcheck *k, size_t n) {
    uint8_t *p = kc_buffer(k, n);
    kc_fill_bytes(k, p, n);
    return p;
}

static void check_pattern(kcheck *k, const hst__pixels_kernels *p, size_t n) {
    kc_case(k, "pattern of %zu", n);
    const uint8_t *src = bytes(k, n);
    const float *a = kc_floats(k, HST__PIXELS_PATTERN, KC_UNIT);
    const float *b = kc_floats(k, HST__PIXELS_PATTERN, KC_UNIT);
    float *got = kc_buffer(k, n * 4), *want = kc_buffer(k, n * 4);
    hst__pixels_pattern__ref(src, want, n, a, b);
    p->pattern(src, got, n, a, b);
    kc_same(k, got, want, n, 4);
    kc_release(k);
}

static void check_planes(kcheck *k, const hst__pixels_kernels *p, size_t n) {
    kc_case(k, "planar3, split3, reverse3 of %zu", n);
    const uint8_t *src = bytes(k, 3 * n);
    const float *a = kc_floats(k, 3, KC_UNIT), *b = kc_floats(k, 3, KC_UNIT);
    float *got[3], *want[3];
    uint8_t *got8[3], *want8[3];
    for (int c = 0; c < 3; c++) {
        got[c] = kc_buffer(k, n * 4);
        want[c] = kc_buffer(k, n * 4);
        got8[c] = kc_buffer(k, n);
        want8[c] = kc_buffer(k, n);
    }
    hst__pixels_planar3__ref(src, want, n, a, b);
    p->planar3(src, got, n, a, b);
    hst__pixels_split3__ref(src, want8, n);
    p->split3(src, got8, n);
    for (int c = 0; c < 3; c++) {
        kc_same(k, got[c], want[c], n, 4);
        kc_same_u8(k, got8[c], want8[c], n);
    }
    uint8_t *turned = kc_buffer(k, 3 * n), *turned_want = kc_buffer(k, 3 * n);
    hst__pixels_reverse3__ref(src, turned_want, n);
    p->reverse3(src, turned, n);
    kc_same_u8(k, turned, turned_want, 3 * n);
    kc_release(k);
}

typedef struct timed {
    const hst__pixels_kernels *p;
    const uint8_t *src;
    float *dst[3];
    uint8_t *dst8[3];
    const float *a, *b;
    size_t n;
} timed;

static void run_pattern(void *context) {
    timed *t = context;
    t->p->pattern(t->src, t->dst[0], 3 * t->n, t->a, t->b);
}
static void run_planar3(void *context) {
    timed *t = context;
    t->p->planar3(t->src, t->dst, t->n, t->a, t->b);
}
static void run_split3(void *context) {
    timed *t = context;
    t->p->split3(t->src, t->dst8, t->n);
}
static void run_reverse3(void *context) {
    timed *t = context;
    t->p->reverse3(t->src, t->dst8[0], t->n);
}

static void bench(kcheck *k, const hst__pixels_kernels *p) {
    /* Room behind the row: a masked load that meets the unreadable page is slow. */
    timed t = {.p = p, .n = 640, .src = bytes(k, 3 * 640 + 64)};
    t.a = kc_floats(k, HST__PIXELS_PATTERN, KC_UNIT);
    t.b = kc_floats(k, HST__PIXELS_PATTERN, KC_UNIT);
    for (int c = 0; c < 3; c++) {
        t.dst[c] = kc_buffer(k, 3 * t.n * 4);
        t.dst8[c] = kc_buffer(k, 3 * t.n);
    }
    kc_bench(k, "pattern 3x640", 3.0 * 640, "Gsample/s", run_pattern, &t);
    kc_bench(k, "planar3 3x640", 3.0 * 640, "Gsample/s", run_planar3, &t);
    kc_bench(k, "split3 3x640", 3.0 * 640, "Gsample/s", run_split3, &t);
    kc_bench(k, "reverse3 3x640", 3.0 * 640, "Gsample/s", run_reverse3, &t);
    kc_release(k);
}

void check_pixels(kcheck *k) {
    const hst__pixels_kernels *p = hst__pixels_get(k->level);
    if (!kc_fresh(k, 0, (kc_fn *)p->pattern))
        return;
    for (size_t n = 1; n <= (k->thorough ? 400 : 150); n++) {
        check_pattern(k, p, n);
        check_planes(k, p, n);
    }
    if (k->bench)
        bench(k, p);
}
