/* Pooling: channels-last forms against the reference and against the planar definition.
 */
#include <math.h>
#include <string.h>

#include "kcheck.h"
#include "kernels/pool.h"

static const kc_tol sums = {.ulp = 4, .abs = 4e-7};

static const struct {
    int kernel[2], stride[2], dilation[2], begin[2], end[2];
} windows[] = {
    {{2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}}, {{3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {{3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}}, {{5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
    {{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, {{1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
    {{3, 2}, {1, 3}, {2, 1}, {2, 0}, {1, 1}}, {{7, 1}, {1, 1}, {1, 1}, {3, 0}, {3, 0}},
    {{4, 4}, {1, 2}, {1, 3}, {3, 5}, {0, 1}}, {{9, 13}, {1, 1}, {1, 1}, {4, 6}, {4, 6}},
};
enum { N_WINDOWS = sizeof windows / sizeof *windows };

/* false where no output fits. `ceil` rounds the size up, as ceil_mode does. */
static bool describe(hst__pool_desc *d, int w, size_t batch, ptrdiff_t h, ptrdiff_t width,
                     size_t channels, bool ceil) {
    *d = (hst__pool_desc){
        .dims = 2, .batch = batch, .channels = channels, .in = {h, width}};
    for (int i = 0; i < 2; i++) {
        d->kernel[i] = windows[w].kernel[i];
        d->stride[i] = windows[w].stride[i];
        d->dilation[i] = windows[w].dilation[i];
        d->pad_begin[i] = windows[w].begin[i];
        d->pad_end[i] = windows[w].end[i];
        ptrdiff_t room = d->in[i] + d->pad_begin[i] + d->pad_end[i] -
                         (d->kernel[i] - 1) * d->dilation[i] - 1;
        if (room < 0)
            return false;
        d->out[i] = (room + (ceil ? d->stride[i] - 1 : 0)) / d->stride[i] + 1;
        /* No window begins behind the input. */
        while ((d->out[i] - 1) * d->stride[i] >= d->in[i] + d->pad_begin[i])
            d->out[i]--;
    }
    return true;
}

/* The planar definition of what the rows computed. */
static void check_planar(kcheck *k, const hst__pool_desc *d, const float *x,
                         const float *y, bool max) {
    size_t in = (size_t)(d->in[0] * d->in[1]), out = (size_t)(d->out[0] * d->out[1]);
    size_t planes = d->batch * d->channels;
    float *px = kc_buffer(k, planes * in * sizeof *px);
    float *py = kc_buffer(k, planes * out * sizeof *py);
    float *got = kc_buffer(k, planes * out * sizeof *got);
    for (size_t p = 0; p < planes; p++) {
        size_t b = p / d->channels, c = p % d->channels;
        for (size_t i = 0; i < in; i++)
            px[p * in + i] = x[(b * in + i) * d->channels + c];
        for (size_t i = 0; i < out; i++)
            got[p * out + i] = y[(b * out + i) * d->channels + c];
    }
    if (max)
        hst__pool_nd_max_f32__ref(d, px, py, NULL, 0, planes);
    else
        hst__pool_nd_average_f32__ref(d, px, py, 0, planes);
    kc_close_f32(k, got, py, planes * out, max ? (kc_tol){0} : sums);
}

static void check_window(kcheck *k, const hst__pool_f32 *p, const hst__pool_desc *d,
                         bool max) {
    size_t in = d->batch * (size_t)(d->in[0] * d->in[1]) * d->channels;
    size_t row = (size_t)d->out[1] * d->channels, rows = d->batch * (size_t)d->out[0];
    size_t out = rows * row, cut = (size_t)kc_int(k, 0, (int)rows);
    float *x = kc_floats(k, in, max ? KC_SPECIAL : KC_UNIT);
    float *y = kc_buffer(k, out * sizeof *y), *want = kc_buffer(k, out * sizeof *y);
    float *parts = kc_buffer(k, out * sizeof *y);
    hst__pool_rows *fn = max ? p->max : p->average;
    (max ? hst__pool_f32__ref.max : hst__pool_f32__ref.average)(d, x, want, 0, rows);
    fn(d, x, y, 0, rows);
    kc_close_f32(k, y, want, out, max ? (kc_tol){.cols = d->channels} : sums);
    fn(d, x, parts, cut, rows);
    fn(d, x, parts, 0, cut);
    kc_same(k, parts, y, out, sizeof *y);
    check_planar(k, d, x, y, max);
    kc_release(k);
}

static void check_windows(kcheck *k, const hst__pool_f32 *p, size_t channels) {
    for (int w = 0; w < N_WINDOWS; w++) {
        int wide = kc_one_in(k, 6) ? 270 : 0; /* beyond one buffer of columns */
        for (int variant = 0; variant < 6; variant++) {
            hst__pool_desc d;
            bool max = variant % 2 == 0, include = variant >= 4, ceil = variant & 2;
            if (!describe(&d, w, (size_t)kc_int(k, 1, 2), kc_int(k, 1, 9),
                          kc_int(k, 1, 12) + wide, channels, ceil))
                continue;
            d.count_include_pad = include;
            kc_case(k, "%s %tdx%td/%td of [%zu,%td,%td,%zu] window %d include=%d ceil=%d",
                    max ? "max" : "average", d.kernel[0], d.kernel[1], d.stride[0],
                    d.batch, d.in[0], d.in[1], d.channels, w, include, ceil);
            check_window(k, p, &d, max);
        }
    }
}

static void check_all(kcheck *k, const hst__pool_f32 *p, size_t n, size_t channels) {
    kc_case(k, "all of %zu x %zu channels", n, channels);
    float *x = kc_floats(k, n * channels, KC_UNIT);
    float *y = kc_buffer(k, channels * sizeof *y),
          *want = kc_buffer(k, channels * sizeof *y);
    hst__pool_f32__ref.average_all(x, want, n, channels);
    p->average_all(x, y, n, channels);
    kc_close_f32(k, y, want, channels, (kc_tol){.ulp = 16, .abs = 1e-6});
    kc_fill_f32(k, x, n * channels, kc_one_in(k, 2) ? KC_FINITE : KC_SPECIAL);
    hst__pool_f32__ref.max_all(x, want, n, channels);
    p->max_all(x, y, n, channels);
    kc_close_f32(k, y, want, channels, (kc_tol){0});
    kc_release(k);
}

typedef struct timed {
    hst__pool_desc d;
    hst__pool_rows *fn;
    float *x, *y;
} timed;

static void run_timed(void *context) {
    timed *t = context;
    t->fn(&t->d, t->x, t->y, 0, (size_t)t->d.out[0]);
}

static void bench(kcheck *k, const hst__pool_f32 *p) {
    static const struct {
        const char *name;
        int window, size, channels;
        bool max;
    } shapes[] = {{"max 3x3/2 112x112x64", 1, 112, 64, true},
                  {"max 2x2/2 112x112x64", 0, 112, 64, true},
                  {"max 5x5/1 20x20x128", 3, 20, 128, true},
                  {"average 3x3/1 35x35x192", 4, 35, 192, false}};
    for (int i = 0; i < 4; i++) {
        timed t = {.fn = shapes[i].max ? p->max : p->average};
        describe(&t.d, shapes[i].window, 1, shapes[i].size, shapes[i].size,
                 (size_t)shapes[i].channels, false);
        size_t in = (size_t)(t.d.in[0] * t.d.in[1]) * t.d.channels;
        size_t out = (size_t)(t.d.out[0] * t.d.out[1]) * t.d.channels;
        t.x = kc_floats(k, in, KC_UNIT);
        t.y = kc_buffer(k, out * sizeof(float));
        kc_bench(k, shapes[i].name, (double)(in + out) * 4, "GB/s", run_timed, &t);
        kc_release(k);
    }
}

void check_pool(kcheck *k) {
    const hst__pool_f32 *p = hst__pool_pick(k->level);
    if (!kc_fresh(k, 0, (kc_fn *)p->max))
        return;
    size_t sizes[KC_SIZES];
    int n_sizes = kc_sizes(k, 16, sizes);
    for (int i = 0; i < n_sizes; i++) {
        check_windows(k, p, sizes[i]);
        check_all(k, p, (size_t)kc_int(k, 1, 300), sizes[i]);
    }
    check_all(k, p, 1009, 1);
    check_all(k, p, 16, 1);
    if (k->bench)
        bench(k, p);
}
