/* dwconv_f32: random shapes against the plain convolution with one group a channel. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kcheck.h"
#include "kernels/conv_nd.h"
#include "kernels/dwconv.h"

/* One convolution with all its buffers; x_nchw and w are what the reference reads. */
typedef struct conv {
    hst__dwconv_f32_desc d;
    hst__dwconv_f32_plan plan;
    hst__epilogue epilogue;
    float *x_nchw, *x, *w, *scale, *packed, *y;
    size_t pixels, y_floats;
} conv;

static size_t size(kcheck *k, int lo, int hi) { return (size_t)kc_int(k, lo, hi); }

static size_t out_size(size_t in, ptrdiff_t pads, size_t kernel, size_t stride,
                       size_t dilation) {
    ptrdiff_t room = (ptrdiff_t)in + pads - (ptrdiff_t)((kernel - 1) * dilation + 1);
    return room < 0 ? 0 : (size_t)room / stride + 1;
}

static hst__dwconv_f32_desc random_desc(kcheck *k) {
    static const size_t kernels[] = {3, 3, 3, 5, 5, 1, 2, 7, 7};
    hst__dwconv_f32_desc d;
    do {
        d = (hst__dwconv_f32_desc){
            .batch = size(k, 1, 2),
            .in_h = size(k, 1, 12),
            .in_w = size(k, 1, kc_one_in(k, 2) ? 9 : 33),
            .in_c = size(k, 1, kc_one_in(k, 2) ? 20 : 150),
            .multiplier = kc_one_in(k, 8) ? size(k, 2, 3) : 1,
            .kernel_h = kernels[kc_int(k, 0, 8)],
            .kernel_w = kernels[kc_int(k, 0, 8)],
            .stride_h = size(k, 1, 3),
            .stride_w = size(k, 1, kc_one_in(k, 4) ? 3 : 2),
            .dilation_h = kc_one_in(k, 6) ? 2 : 1,
            .dilation_w = kc_one_in(k, 6) ? 2 : 1,
            .pad_top = kc_int(k, -1, 6),
            .pad_left = kc_int(k, -1, 6),
        };
        d.out_h = out_size(d.in_h, d.pad_top + kc_int(k, -1, 6), d.kernel_h, d.stride_h,
                           d.dilation_h);
        d.out_w = out_size(d.in_w, d.pad_left + kc_int(k, -1, 6), d.kernel_w, d.stride_w,
                           d.dilation_w);
        d.x_stride = d.in_c + size(k, 0, 2);
        d.y_stride = d.in_c * d.multiplier + size(k, 0, 2);
    } while (!d.out_h || !d.out_w);
    return d;
}

static void lay_input(conv *c) {
    const hst__dwconv_f32_desc *d = &c->d;
    size_t area = d->in_h * d->in_w;
    for (size_t p = 0; p < d->batch * area; p++) {
        for (size_t i = 0; i < d->in_c; i++)
            c->x[p * d->x_stride + i] =
                c->x_nchw[(p / area * d->in_c + i) * area + p % area];
    }
}

static size_t weights_of(const conv *c) {
    return c->plan.out_c * c->d.kernel_h * c->d.kernel_w;
}

static void prepare(kcheck *k, conv *c, const hst__dwconv_f32_desc *d) {
    *c = (conv){.d = *d, .epilogue = HST__EPILOGUE_NONE};
    kc_true(k, hst__dwconv_f32_plan_init(&c->plan, d, k->level), "plan");
    size_t in_pixels = d->batch * d->in_h * d->in_w;
    c->pixels = d->batch * d->out_h * d->out_w;
    c->x_nchw = kc_floats(k, in_pixels * d->in_c, KC_UNIT);
    c->x = kc_buffer(k, ((in_pixels - 1) * d->x_stride + d->in_c) * sizeof(float));
    lay_input(c);
    c->w = kc_floats(k, weights_of(c), KC_UNIT);
    c->packed = kc_buffer_aligned(k, c->plan.packed_bytes, 64);
    c->y_floats = (c->pixels - 1) * d->y_stride + c->plan.out_c;
    c->y = kc_buffer(k, c->y_floats * sizeof(float));
}

static void pack(kcheck *k, conv *c) {
    char *odd = kc_buffer(k, weights_of(c) * sizeof(float) + 1);
    memcpy(odd, c->w, weights_of(c) * sizeof(float));
    hst__dwconv_f32_pack(&c->plan, odd, c->scale, c->packed);
}

/* The last rows first, `rows` at a time. */
static void run(const conv *c, float *y, size_t rows) {
    hst__dwconv_f32_args args = {c->x, c->packed, y, &c->epilogue};
    for (size_t end = c->plan.rows; end > 0;) {
        size_t begin = end > rows ? end - rows : 0;
        hst__dwconv_f32_run(&c->plan, &args, begin, end);
        end = begin;
    }
}

static void halve(float *y, size_t n, const hst__act *act) {
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] / 2 + act->b;
}

static double activate(double x, const hst__act *act) {
    switch (act->kind) {
    case HST__ACT_NONE:
        return x;
    case HST__ACT_RELU:
        return x < 0 ? 0 : x;
    case HST__ACT_CLIP:
        x = x < (double)act->a ? (double)act->a : x;
        return x > (double)act->b ? (double)act->b : x;
    case HST__ACT_LEAKY_RELU:
        return x < 0 ? x * (double)act->a : x;
    default:
        return x / 2 + (double)act->b;
    }
}

static void random_epilogue(kcheck *k, conv *c) {
    static const hst__act acts[] = {{HST__ACT_NONE, 0, 0},
                                    {HST__ACT_RELU, 0, 0},
                                    {HST__ACT_CLIP, -0.5f, 0.75f},
                                    {HST__ACT_LEAKY_RELU, 0.125f, 0},
                                    {HST__ACT_SILU, 1, 0.25f}};
    hst__epilogue *e = &c->epilogue;
    if (kc_one_in(k, 2))
        c->scale = kc_floats(k, c->plan.out_c, KC_UNIT);
    if (kc_one_in(k, 2))
        e->bias = kc_floats(k, c->plan.out_c, KC_UNIT);
    if (kc_one_in(k, 2)) {
        e->ldd = c->plan.out_c + size(k, 0, 3);
        e->addend = kc_floats(k, (c->pixels - 1) * e->ldd + c->plan.out_c, KC_UNIT);
    }
    e->act = acts[kc_int(k, 0, 4)];
    e->row = halve;
}

static float *reference(kcheck *k, const conv *c, const float *x, const float *w) {
    const hst__dwconv_f32_desc *d = &c->d;
    hst__conv_nd nd = {.dims = 2,
                       .batch = d->batch,
                       .in_c = d->in_c,
                       .out_c = c->plan.out_c,
                       .groups = d->in_c,
                       .in = {d->in_h, d->in_w},
                       .out = {d->out_h, d->out_w},
                       .kernel = {d->kernel_h, d->kernel_w},
                       .stride = {d->stride_h, d->stride_w},
                       .dilation = {d->dilation_h, d->dilation_w},
                       .pad = {d->pad_top, d->pad_left}};
    float *y = kc_buffer(k, c->pixels * c->plan.out_c * sizeof *y);
    hst__conv_nd_f32__ref(&nd, x, w, NULL, y, 0, d->batch * c->plan.out_c);
    return y;
}

static float *magnitudes(kcheck *k, const float *x, size_t n) {
    float *y = kc_buffer(k, n * sizeof *y);
    for (size_t i = 0; i < n; i++)
        y[i] = fabsf(x[i]);
    return y;
}

static void compare(kcheck *k, const conv *c) {
    const hst__dwconv_f32_desc *d = &c->d;
    const hst__epilogue *e = &c->epilogue;
    size_t out_c = c->plan.out_c, n = c->pixels * out_c, area = d->out_h * d->out_w;
    double *want = kc_buffer(k, n * sizeof *want),
           *bound = kc_buffer(k, n * sizeof *bound);
    float *got = kc_buffer(k, n * sizeof *got);
    float *sum = reference(k, c, c->x_nchw, c->w);
    float *weight =
        reference(k, c, magnitudes(k, c->x_nchw, d->batch * d->in_c * d->in_h * d->in_w),
                  magnitudes(k, c->w, weights_of(c)));
    for (size_t p = 0; p < c->pixels; p++) {
        for (size_t o = 0; o < out_c; o++) {
            size_t i = p * out_c + o, at = (p / area * out_c + o) * area + p % area;
            double scale = c->scale ? (double)c->scale[o] : 1;
            double bias = e->bias ? (double)e->bias[o] : 0;
            double addend = e->addend ? (double)e->addend[p * e->ldd + o] : 0;
            double norm =
                fabs(scale * (double)weight[at]) + fabs(bias) + fabs(addend) + 1;
            want[i] = activate((double)sum[at] * scale + bias + addend, &e->act);
            bound[i] = (double)(d->kernel_h * d->kernel_w + 8) * 0x1p-24 * norm;
            if (isnan(norm) || isinf(norm))
                bound[i] = 0;
            got[i] = c->y[p * d->y_stride + o];
        }
    }
    kc_close_bound(k, got, want, bound, n, out_c);
}

static bool gaps_kept(const conv *c, const float *before) {
    size_t n = c->plan.out_c;
    for (size_t p = 0; p + 1 < c->pixels; p++) {
        size_t gap = p * c->d.y_stride + n;
        if (memcmp(c->y + gap, before + gap, (c->d.y_stride - n) * sizeof(float)))
            return false;
    }
    return true;
}

static void check_one(kcheck *k, const hst__dwconv_f32_desc *d, bool specials) {
    kc_case(k, "%zux%zux%zux%zu to %zux%zu x%zu, k%zux%zu s%zux%zu d%zux%zu p%tdx%td",
            d->batch, d->in_h, d->in_w, d->in_c, d->out_h, d->out_w, d->multiplier,
            d->kernel_h, d->kernel_w, d->stride_h, d->stride_w, d->dilation_h,
            d->dilation_w, d->pad_top, d->pad_left);
    conv c;
    prepare(k, &c, d);
    random_epilogue(k, &c);
    for (int i = 0; specials && i < 3; i++)
        c.x_nchw[kc_int(k, 0, (int)(d->batch * d->in_c * d->in_h * d->in_w) - 1)] =
            i ? INFINITY : NAN;
    lay_input(&c);
    pack(k, &c);
    float *other = kc_buffer(k, c.y_floats * sizeof *other);
    float *before = kc_buffer(k, c.y_floats * sizeof *before);
    memcpy(other, c.y, c.y_floats * sizeof *other);
    memcpy(before, c.y, c.y_floats * sizeof *before);
    run(&c, c.y, SIZE_MAX);
    compare(k, &c);
    kc_true(k, gaps_kept(&c, before), "wrote between the pixels");
    run(&c, other, size(k, 1, 3));
    kc_same(k, c.y, other, c.y_floats, sizeof(float));
    kc_release(k);
}

/* Widths around the groups of pixels, channels around the vectors, of the fast windows.
 */
static void check_fast(kcheck *k) {
    for (size_t w = 1; w <= 17; w++) {
        for (size_t stride = 1; stride <= 2; stride++) {
            for (size_t kernel = 3; kernel <= 7; kernel += 2) {
                hst__dwconv_f32_desc d = {.batch = 1,
                                          .in_h = 3,
                                          .in_w = w,
                                          .in_c = size(k, 1, 37),
                                          .multiplier = 1,
                                          .kernel_h = kernel,
                                          .kernel_w = kernel,
                                          .stride_h = 1,
                                          .stride_w = stride,
                                          .dilation_h = 1,
                                          .dilation_w = 1,
                                          .pad_top = (ptrdiff_t)kernel / 2,
                                          .pad_left = (ptrdiff_t)kernel / 2};
                d.out_h = 3;
                d.out_w = (w - 1) / stride + 1;
                d.x_stride = d.y_stride = d.in_c;
                check_one(k, &d, false);
            }
        }
    }
}

static void check_bad(kcheck *k) {
    hst__dwconv_f32_plan plan;
    hst__dwconv_f32_desc good = {1, 4, 4, 8, 4, 4, 1, 3, 3, 1, 1, 1, 1, 1, 1, 8, 8};
    hst__dwconv_f32_desc bad = good;
    kc_case(k, "impossible shapes");
    kc_true(k, hst__dwconv_f32_plan_init(&plan, &good, k->level), "a good one");
    bad.x_stride = 7;
    kc_true(k, !hst__dwconv_f32_plan_init(&plan, &bad, k->level),
            "stride below channels");
    bad = good;
    bad.stride_w = 0;
    kc_true(k, !hst__dwconv_f32_plan_init(&plan, &bad, k->level), "no stride");
    bad = good;
    bad.multiplier = SIZE_MAX / 4;
    kc_true(k, !hst__dwconv_f32_plan_init(&plan, &bad, k->level), "too many channels");
}

static void bench_run(void *context) { run(context, ((conv *)context)->y, SIZE_MAX); }

static void bench(kcheck *k) {
    static const struct {
        size_t size, channels, kernel, stride;
    } shapes[] = {{112, 32, 3, 1}, {112, 96, 3, 2}, {56, 144, 3, 1}, {28, 192, 3, 1},
                  {14, 384, 3, 1}, {14, 576, 3, 2}, {7, 960, 3, 1},  {56, 72, 5, 2},
                  {28, 120, 5, 1}, {14, 672, 5, 2}, {7, 960, 5, 1},  {14, 384, 7, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t in = shapes[i].size, stride = shapes[i].stride, taps = shapes[i].kernel;
        size_t out = (in - 1) / stride + 1, channels = shapes[i].channels;
        hst__dwconv_f32_desc d = {1,
                                  in,
                                  in,
                                  channels,
                                  out,
                                  out,
                                  1,
                                  taps,
                                  taps,
                                  stride,
                                  stride,
                                  1,
                                  1,
                                  (ptrdiff_t)taps / 2,
                                  (ptrdiff_t)taps / 2,
                                  channels,
                                  channels};
        conv c;
        char what[64];
        kc_case(k, "bench");
        prepare(k, &c, &d);
        pack(k, &c);
        c.epilogue.act.kind = HST__ACT_RELU;
        snprintf(what, sizeof what, "%zux%zux%zu k%zu s%zu", in, in, channels, taps,
                 stride);
        kc_bench(k, what, c.plan.row_flops * (double)c.plan.rows, "GFLOP/s", bench_run,
                 &c);
        kc_release(k);
    }
}

void check_dwconv(kcheck *k) {
    hst__dwconv_f32_plan plan;
    hst__dwconv_f32_desc d = {1, 4, 4, 8, 4, 4, 1, 3, 3, 1, 1, 1, 1, 1, 1, 8, 8};
    if (!hst__dwconv_f32_plan_init(&plan, &d, k->level) ||
        !kc_fresh(k, 0, (kc_fn *)plan.kernel->part))
        return;
    int rounds = k->thorough ? 2000 : 200;
    for (int i = 0; i < rounds; i++) {
        d = random_desc(k);
        check_one(k, &d, i % 8 == 7);
    }
    check_fast(k);
    check_bad(k);
    if (k->bench)
        bench(k);
}
