/* Resize in 22-bit fixed point: every level must give the reference's bits. */
#include <stdio.h>

#include "kcheck.h"
#include "resize_windows.h"

static const int channel_counts[] = {1, 2, 3, 4};

static void check_rows(kcheck *k, const hst__resize_kernels *r, int outputs, int width,
                       int most, int channels) {
    int rows = kc_int(k, 1, HST__RESIZE_ROWS);
    size_t bytes = (size_t)(outputs * channels);
    kc_case(k, "fixed_h %d to %d x %d, up to %d taps, %d rows", width, outputs, channels,
            most, rows);
    hst__resize_taps t = windows_make(k, outputs, width, most, true);
    const uint8_t **src = windows_rows(k, rows, (size_t)(width * channels));
    uint8_t *got[HST__RESIZE_ROWS], *want[HST__RESIZE_ROWS];
    for (int i = 0; i < rows; i++) {
        got[i] = kc_buffer(k, bytes);
        want[i] = kc_buffer(k, bytes);
    }
    hst__resize_fixed_h__ref(src, want, rows, &t, channels);
    r->fixed_h(src, got, rows, &t, channels);
    for (int i = 0; i < rows; i++)
        kc_same_u8(k, got[i], want[i], bytes);
    kc_release(k);
}

static void check_columns(kcheck *k, const hst__resize_kernels *r, size_t bytes,
                          int most) {
    kc_case(k, "fixed_v of %zu bytes, up to %d rows", bytes, most);
    hst__resize_taps t = windows_make(k, 3, most + 4, most, true);
    const uint8_t **rows = windows_rows(k, most, bytes);
    uint8_t *got = kc_buffer(k, bytes), *want = kc_buffer(k, bytes);
    for (int output = 0; output < 3; output++) {
        hst__resize_fixed_v__ref(rows, want, bytes, &t, output);
        r->fixed_v(rows, got, bytes, &t, output);
        kc_same_u8(k, got, want, bytes);
    }
    kc_release(k);
}

typedef struct timed {
    const hst__resize_kernels *r;
    hst__resize_taps t;
    const uint8_t **rows;
    uint8_t *dst[HST__RESIZE_ROWS];
    int channels;
} timed;

static void run_rows(void *context) {
    timed *t = context;
    t->r->fixed_h(t->rows, t->dst, HST__RESIZE_ROWS, &t->t, t->channels);
}

static void run_columns(void *context) {
    timed *t = context;
    t->r->fixed_v(t->rows, t->dst[0], (size_t)(t->t.outputs * t->channels), &t->t, 0);
}

static void bench(kcheck *k, const hst__resize_kernels *r, int outputs, int channels) {
    int most = 2 * 1920 / outputs + 1;
    timed t = {.r = r, .channels = channels};
    t.t = windows_make(k, outputs, 1920, most, true);
    t.rows = windows_rows(k, most, (size_t)(1920 * channels));
    for (int i = 0; i < HST__RESIZE_ROWS; i++)
        t.dst[i] = kc_buffer(k, (size_t)(outputs * channels));
    char name[64];
    snprintf(name, sizeof name, "4 rows 1920 to %d, %d channels", outputs, channels);
    kc_bench(k, name, 4.0 * outputs * most * channels, "GMAC/s", run_rows, &t);
    snprintf(name, sizeof name, "%d rows to 1 of %d, %d channels", most, outputs,
             channels);
    kc_bench(k, name, 1.0 * outputs * most * channels, "GMAC/s", run_columns, &t);
    kc_release(k);
}

void check_resize_fixed(kcheck *k) {
    const hst__resize_kernels *r = hst__resize_get(k->level);
    static const int taps[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 40};
    size_t sizes[KC_SIZES];
    if (!kc_fresh(k, 0, (kc_fn *)r->fixed_h))
        return;
    int n = kc_sizes(k, 4, sizes);
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 10; m++)
            for (int c = 0; c < 4; c++)
                check_rows(k, r, (int)sizes[i],
                           kc_int(k, 1, kc_one_in(k, 3) ? 12 : 3 * (int)sizes[i] + 40),
                           taps[m], channel_counts[c]);
    n = kc_sizes(k, 64, sizes);
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 10; m++)
            check_columns(k, r, sizes[i], taps[m]);
    if (k->bench) {
        bench(k, r, 224, 3);
        bench(k, r, 640, 3);
        bench(k, r, 224, 1);
        bench(k, r, 640, 1);
    }
}
