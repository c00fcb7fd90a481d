/* Resize with two and four taps in 11-bit fixed point: the reference's bits. */
#include <stdio.h>

#include "kcheck.h"
#include "resize_windows.h"

static void check_rows(kcheck *k, const hst__resize_kernels *r, int outputs, int width,
                       int channels, int taps) {
    size_t n = (size_t)(outputs * channels), element = taps == 2 ? 2 : 4;
    kc_case(k, "%s %d to %d x %d", taps == 2 ? "linear_h" : "cubic_h", width, outputs,
            channels);
    hst__resize_short t = windows_short(k, outputs, width, taps);
    const uint8_t **src = windows_rows(k, 1, (size_t)(width * channels));
    void *got = kc_buffer(k, n * element + HST__RESIZE_SLACK);
    void *want = kc_buffer(k, n * element + HST__RESIZE_SLACK);
    if (taps == 2) {
        hst__resize_linear_h__ref(src[0], want, &t, channels);
        r->linear_h(src[0], got, &t, channels);
    } else {
        hst__resize_cubic_h__ref(src[0], want, &t, channels);
        r->cubic_h(src[0], got, &t, channels);
    }
    kc_same(k, got, want, n, element);
    kc_release(k);
}

static void check_linear_v(kcheck *k, const hst__resize_kernels *r, size_t n) {
    kc_case(k, "linear_v of %zu", n);
    int16_t *rows[2], w = (int16_t)kc_int(k, 0, 1 << HST__RESIZE_SHORT_BITS);
    for (int i = 0; i < 2; i++) {
        rows[i] = kc_buffer(k, n * sizeof **rows);
        for (size_t j = 0; j < n; j++)
            rows[i][j] = (int16_t)kc_int(k, 0, 255 << (HST__RESIZE_SHORT_BITS - 4));
    }
    const int16_t *const from[2] = {rows[0], rows[1]};
    const int16_t weight[2] = {w, (int16_t)((1 << HST__RESIZE_SHORT_BITS) - w)};
    uint8_t *got = kc_buffer(k, n), *want = kc_buffer(k, n);
    hst__resize_linear_v__ref(from, want, n, weight);
    r->linear_v(from, got, n, weight);
    kc_same_u8(k, got, want, n);
    kc_release(k);
}

static void check_cubic_v(kcheck *k, const hst__resize_kernels *r, size_t n) {
    kc_case(k, "cubic_v of %zu", n);
    const int32_t *from[4];
    int16_t weight[4];
    for (int i = 0; i < 4; i++) {
        int32_t *row = kc_buffer(k, n * sizeof *row);
        for (size_t j = 0; j < n; j++)
            row[j] = kc_int(k, -(100 << HST__RESIZE_SHORT_BITS),
                            350 << HST__RESIZE_SHORT_BITS);
        from[i] = row;
        weight[i] = (int16_t)kc_int(k, -600, 1500);
    }
    uint8_t *got = kc_buffer(k, n), *want = kc_buffer(k, n);
    hst__resize_cubic_v__ref(from, want, n, weight);
    r->cubic_v(from, got, n, weight);
    kc_same_u8(k, got, want, n);
    kc_release(k);
}

typedef struct timed {
    const hst__resize_kernels *r;
    hst__resize_short t;
    const uint8_t *src;
    void *row[2];
    uint8_t *out;
    int channels;
} timed;

static void run_linear_h(void *context) {
    timed *t = context;
    t->r->linear_h(t->src, t->row[0], &t->t, t->channels);
}

static void run_linear_v(void *context) {
    timed *t = context;
    const int16_t *const rows[2] = {t->row[0], t->row[1]};
    t->r->linear_v(rows, t->out, (size_t)(t->t.outputs * t->channels), t->t.weight);
}

static void run_cubic_h(void *context) {
    timed *t = context;
    t->r->cubic_h(t->src, t->row[0], &t->t, t->channels);
}

static void bench(kcheck *k, const hst__resize_kernels *r, int channels) {
    timed t = {.r = r, .channels = channels};
    size_t n = (size_t)(640 * channels);
    char name[64];
    for (int taps = 2; taps <= 4; taps += 2) {
        t.t = windows_short(k, 640, 1920, taps);
        t.src = windows_rows(k, 1, (size_t)(1920 * channels))[0];
        for (int i = 0; i < 2; i++)
            t.row[i] = kc_buffer(k, n * 4 + HST__RESIZE_SLACK);
        t.out = kc_buffer(k, n);
        snprintf(name, sizeof name, "%d taps, 1920 to 640, %d channels", taps, channels);
        kc_bench(k, name, (double)n, "Gsample/s", taps == 2 ? run_linear_h : run_cubic_h,
                 &t);
        if (taps == 2)
            kc_bench(k, "linear_v of 640", (double)n, "Gsample/s", run_linear_v, &t);
        kc_release(k);
    }
}

void check_resize_short(kcheck *k) {
    const hst__resize_kernels *r = hst__resize_get(k->level);
    size_t sizes[KC_SIZES];
    if (!kc_fresh(k, 0, (kc_fn *)r->linear_v))
        return;
    int n = kc_sizes(k, 8, sizes);
    for (int i = 0; i < n; i++)
        for (int c = 1; c <= 4; c++)
            for (int taps = 2; taps <= 4; taps += 2)
                for (int again = 0; again < 4; again++)
                    check_rows(k, r, (int)sizes[i],
                               kc_int(k, 1, again ? 4 * (int)sizes[i] + 9 : 6), c, taps);
    n = kc_sizes(k, 64, sizes);
    for (int i = 0; i < n; i++) {
        check_linear_v(k, r, sizes[i]);
        check_cubic_v(k, r, sizes[i]);
    }
    if (k->bench) {
        bench(k, r, 3);
        bench(k, r, 1);
    }
}
