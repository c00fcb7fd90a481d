/* conv_f32: every candidate on random shapes against the plain convolution, and the
 * transposed reference against its adjoint. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "kcheck.h"
#include "kernels/conv.h"
#include "kernels/conv_nd.h"

/* One convolution with all its buffers; x_nchw and w are what the reference reads. */
typedef struct conv {
    hst__conv_f32_desc d;
    hst__conv_f32_plan plan;
    hst__epilogue epilogue;
    float *x_nchw, *x, *w, *scale, *packed, *y;
    void *scratch;
    size_t pixels, y_floats;
} conv;

static size_t out_size(size_t in, ptrdiff_t pads, size_t kernel, size_t stride,
                       size_t dilation) {
    ptrdiff_t room = (ptrdiff_t)in + pads - (ptrdiff_t)((kernel - 1) * dilation + 1);
    return room < 0 ? 0 : (size_t)room / stride + 1;
}

static size_t size(kcheck *k, int lo, int hi) { return (size_t)kc_int(k, lo, hi); }

/* Any shape that has output. */
static hst__conv_f32_desc random_desc(kcheck *k) {
    static const size_t groups[] = {1, 1, 1, 1, 2, 3, 5};
    hst__conv_f32_desc d;
    do {
        d = (hst__conv_f32_desc){
            .batch = size(k, 1, 3),
            .in_h = size(k, 1, 19),
            .in_w = size(k, 1, 19),
            .groups = groups[kc_int(k, 0, 6)],
            .kernel_h = size(k, 1, 5),
            .kernel_w = size(k, 1, 7),
            .stride_h = size(k, 1, 3),
            .stride_w = size(k, 1, 3),
            .dilation_h = kc_one_in(k, 3) ? size(k, 2, 3) : 1,
            .dilation_w = kc_one_in(k, 3) ? size(k, 2, 3) : 1,
            .pad_top = kc_int(k, -1, 4),
            .pad_left = kc_int(k, -1, 4),
            .input_nchw = kc_one_in(k, 3),
        };
        if (kc_one_in(k, 3))
            d.kernel_h = d.kernel_w = 1;
        if (kc_one_in(k, 4)) {
            d.groups = 1;
            d.input_nchw = false;
            d.kernel_h = d.kernel_w = 3;
            d.stride_h = d.stride_w = d.dilation_h = d.dilation_w = 1;
        }
        d.in_c = d.groups * size(k, 1, kc_one_in(k, 2) ? 8 : kc_one_in(k, 8) ? 150 : 20);
        d.out_c = d.groups * size(k, 1, d.groups > 1 ? 40 : 75);
        d.out_h = out_size(d.in_h, d.pad_top + kc_int(k, -1, 4), d.kernel_h, d.stride_h,
                           d.dilation_h);
        d.out_w = out_size(d.in_w, d.pad_left + kc_int(k, -1, 4), d.kernel_w, d.stride_w,
                           d.dilation_w);
        d.x_stride = d.in_c + size(k, 0, 2);
        d.y_stride = d.out_c + size(k, 0, 2);
    } while (!d.out_h || !d.out_w);
    return d;
}

static hst__conv_nd plain(const hst__conv_f32_desc *d) {
    return (hst__conv_nd){.dims = 2,
                          .batch = d->batch,
                          .in_c = d->in_c,
                          .out_c = d->out_c,
                          .groups = d->groups,
                          .in = {d->in_h, d->in_w},
                          .out = {d->out_h, d->out_w},
                          .kernel = {d->kernel_h, d->kernel_w},
                          .stride = {d->stride_h, d->stride_w},
                          .dilation = {d->dilation_h, d->dilation_w},
                          .pad = {d->pad_top, d->pad_left}};
}

static size_t weights_of(const hst__conv_f32_desc *d) {
    return d->out_c * (d->in_c / d->groups) * d->kernel_h * d->kernel_w;
}

/* The input as the plan wants it, from the planar one. */
static void lay_input(kcheck *k, conv *c) {
    const hst__conv_f32_desc *d = &c->d;
    size_t area = d->in_h * d->in_w, pixels = d->batch * area;
    if (d->input_nchw) {
        c->x = c->x_nchw;
        return;
    }
    c->x = kc_buffer(k, ((pixels - 1) * d->x_stride + d->in_c) * sizeof(float));
    for (size_t p = 0; p < pixels; p++) {
        for (size_t i = 0; i < d->in_c; i++)
            c->x[p * d->x_stride + i] =
                c->x_nchw[(p / area * d->in_c + i) * area + p % area];
    }
}

static void halve(float *y, size_t n, const hst__act *act) {
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] / 2 + act->b;
}

static void random_epilogue(kcheck *k, conv *c) {
    static const hst__act acts[] = {{HST__ACT_NONE, 0, 0},
                                    {HST__ACT_RELU, 0, 0},
                                    {HST__ACT_CLIP, -0.5f, 0.75f},
                                    {HST__ACT_LEAKY_RELU, 0.125f, 0},
                                    {HST__ACT_SILU, 1, 0.25f}};
    hst__epilogue *e = &c->epilogue;
    if (kc_one_in(k, 2))
        c->scale = kc_floats(k, c->d.out_c, KC_UNIT);
    if (kc_one_in(k, 2))
        e->bias = kc_floats(k, c->d.out_c, KC_UNIT);
    if (kc_one_in(k, 2)) {
        e->ldd = c->d.out_c + size(k, 0, 3);
        e->addend = kc_floats(k, (c->pixels - 1) * e->ldd + c->d.out_c, KC_UNIT);
    }
    e->act = acts[kc_int(k, 0, 4)];
    e->row = halve;
}

/* Buffers and packed weights; false where the candidate refuses the shape. */
static bool prepare(kcheck *k, conv *c, const hst__conv_f32_desc *d,
                    const hst__conv_f32_kernel *kernel) {
    *c = (conv){.d = *d, .epilogue = HST__EPILOGUE_NONE};
    if (!hst__conv_f32_plan_with(&c->plan, d, k->level, kernel))
        return false;
    c->pixels = d->batch * d->out_h * d->out_w;
    c->x_nchw = kc_floats(k, d->batch * d->in_c * d->in_h * d->in_w, KC_UNIT);
    lay_input(k, c);
    c->w = kc_floats(k, weights_of(d), KC_UNIT);
    c->packed = kc_buffer_aligned(k, c->plan.packed_bytes, 64);
    c->scratch = kc_buffer_aligned(k, c->plan.scratch_bytes, 128);
    c->y_floats = (c->pixels - 1) * d->y_stride + d->out_c;
    c->y = kc_buffer(k, c->y_floats * sizeof(float));
    return true;
}

static void pack(kcheck *k, conv *c) {
    char *odd = kc_buffer(k, weights_of(&c->d) * sizeof(float) + 1);
    memcpy(odd, c->w, weights_of(&c->d) * sizeof(float));
    size_t cut = c->plan.n_panels / 2;
    hst__conv_f32_pack(&c->plan, odd, c->scale, c->packed, 0, cut);
    hst__conv_f32_pack(&c->plan, odd, c->scale, c->packed, cut, c->plan.n_panels);
}

static void run(const conv *c, float *y, size_t rows, size_t panels) {
    const hst__conv_f32_plan *plan = &c->plan;
    hst__conv_f32_args args = {c->x, c->packed, y, &c->epilogue, c->scratch};
    for (size_t j = plan->n_panels; j > 0;) {
        size_t j0 = j > panels ? j - panels : 0;
        for (size_t i = plan->m_tiles; i > 0;) {
            size_t i0 = i > rows ? i - rows : 0;
            hst__conv_f32_run(plan, &args, &(hst__tiles){i0, i, j0, j});
            i = i0;
        }
        j = j0;
    }
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

enum { TILE = 4 }; /* outputs of a side, the largest of the approximate candidates */

static size_t whole_tiles(size_t n) { return (n + TILE - 1) / TILE * TILE; }

/* The plain convolution of x and of |x|, |w|: the second bounds the rounding errors.
 * `largest` is the second's largest sum over whole tiles, so over all that one reads. */
static void references(kcheck *k, const conv *c, float **sum, float **weight,
                       float *largest) {
    const hst__conv_f32_desc *d = &c->d;
    hst__conv_nd nd = plain(d), tiled = nd;
    size_t planes = d->batch * d->out_c, n_x = d->batch * d->in_c * d->in_h * d->in_w;
    float *x = kc_buffer(k, n_x * sizeof *x),
          *w = kc_buffer(k, weights_of(d) * sizeof *w);
    *sum = kc_buffer(k, planes * d->out_h * d->out_w * sizeof **sum);
    *weight = kc_buffer(k, planes * d->out_h * d->out_w * sizeof **weight);
    hst__conv_nd_f32__ref(&nd, c->x_nchw, c->w, NULL, *sum, planes / 2, planes);
    hst__conv_nd_f32__ref(&nd, c->x_nchw, c->w, NULL, *sum, 0, planes / 2);
    for (size_t i = 0; i < n_x; i++)
        x[i] = fabsf(c->x_nchw[i]);
    for (size_t i = 0; i < weights_of(d); i++)
        w[i] = fabsf(c->w[i]);
    hst__conv_nd_f32__ref(&nd, x, w, NULL, *weight, 0, planes);
    *largest = 0;
    if (!c->plan.kernel->approximate)
        return;
    tiled.out[0] = whole_tiles(d->out_h);
    tiled.out[1] = whole_tiles(d->out_w);
    size_t n = planes * tiled.out[0] * tiled.out[1];
    float *tiles = kc_buffer(k, n * sizeof *tiles);
    hst__conv_nd_f32__ref(&tiled, x, w, NULL, tiles, 0, planes);
    for (size_t i = 0; i < n; i++)
        *largest = fmaxf(*largest, tiles[i]);
}

static void compare(kcheck *k, const conv *c) {
    const hst__conv_f32_desc *d = &c->d;
    const hst__epilogue *e = &c->epilogue;
    size_t n = c->pixels * d->out_c, area = d->out_h * d->out_w;
    double *want = kc_buffer(k, n * sizeof *want),
           *bound = kc_buffer(k, n * sizeof *bound);
    float *got = kc_buffer(k, n * sizeof *got), *sum, *weight, largest;
    double products = (double)(d->in_c / d->groups * c->plan.taps);
    references(k, c, &sum, &weight, &largest);
    for (size_t p = 0; p < c->pixels; p++) {
        for (size_t o = 0; o < d->out_c; o++) {
            size_t i = p * d->out_c + o, at = (p / area * d->out_c + o) * area + p % area;
            double scale = c->scale ? (double)c->scale[o] : 1;
            double bias = e->bias ? (double)e->bias[o] : 0;
            double addend = e->addend ? (double)e->addend[p * e->ldd + o] : 0;
            double norm =
                fabs(scale * (double)weight[at]) + fabs(bias) + fabs(addend) + 1;
            want[i] = activate((double)sum[at] * scale + bias + addend, &e->act);
            bound[i] = (products + 8) * 0x1p-24 * norm;
            if (c->plan.kernel->approximate) {
                /* Products cancel in a tile, so the largest sum counts too. */
                norm += fabs(scale) * (double)largest;
                bound[i] = (products / 8 + 32) * 0x1p-24 * norm;
            }
            if (isnan(norm) || isinf(norm))
                bound[i] = 0;
            got[i] = c->y[p * d->y_stride + o];
        }
    }
    kc_close_bound(k, got, want, bound, n, d->out_c);
}

static void name_case(kcheck *k, const hst__conv_f32_desc *d, const char *kernel) {
    kc_case(k,
            "%s %zux%zux%zux%zu%s to %zux%zux%zu, g%zu k%zux%zu s%zux%zu d%zux%zu "
            "p%tdx%td, strides %zu %zu",
            kernel, d->batch, d->in_h, d->in_w, d->in_c, d->input_nchw ? " planar" : "",
            d->out_h, d->out_w, d->out_c, d->groups, d->kernel_h, d->kernel_w,
            d->stride_h, d->stride_w, d->dilation_h, d->dilation_w, d->pad_top,
            d->pad_left, d->x_stride, d->y_stride);
}

static bool gaps_kept(const conv *c, const float *before) {
    size_t n = c->d.out_c;
    for (size_t p = 0; p + 1 < c->pixels; p++) {
        size_t gap = p * c->d.y_stride + n;
        if (memcmp(c->y + gap, before + gap, (c->d.y_stride - n) * sizeof(float)))
            return false;
    }
    return true;
}

static void check_one(kcheck *k, const hst__conv_f32_desc *d,
                      const hst__conv_f32_kernel *kernel, bool specials) {
    conv c;
    name_case(k, d, kernel->name);
    if ((specials && kernel->approximate) || !prepare(k, &c, d, kernel)) {
        kc_release(k);
        return;
    }
    random_epilogue(k, &c);
    for (int i = 0; specials && i < 3; i++)
        c.x_nchw[kc_int(k, 0, (int)(d->batch * d->in_c * d->in_h * d->in_w) - 1)] =
            i ? INFINITY : NAN;
    if (specials)
        lay_input(k, &c);
    pack(k, &c);
    float *other = kc_buffer(k, c.y_floats * sizeof *other);
    float *before = kc_buffer(k, c.y_floats * sizeof *before);
    memcpy(other, c.y, c.y_floats * sizeof *other);
    memcpy(before, c.y, c.y_floats * sizeof *before);
    run(&c, c.y, SIZE_MAX, SIZE_MAX);
    compare(k, &c);
    kc_true(k, gaps_kept(&c, before), "wrote between the pixels");
    run(&c, other, size(k, 1, 3), size(k, 1, 3));
    kc_same(k, c.y, other, c.y_floats, sizeof(float));
    /* Planned for many threads, the grid may be another, the bits may not. */
    conv shared = c;
    shared.d.threads = kc_int(k, 2, 20);
    kc_true(k, hst__conv_f32_plan_with(&shared.plan, &shared.d, k->level, kernel),
            "refused for many threads");
    kc_true(k, shared.plan.packed_bytes == c.plan.packed_bytes, "packed otherwise");
    shared.scratch = kc_buffer_aligned(k, shared.plan.scratch_bytes, 128);
    memcpy(other, before, c.y_floats * sizeof *other);
    hst__split split = hst__conv_f32_split(&shared.plan);
    for (int i = 0; i < hst__split_count(&split); i++) {
        hst__tiles tiles = hst__split_piece(&split, i);
        hst__conv_f32_args args = {c.x, c.packed, other, &c.epilogue, shared.scratch};
        hst__conv_f32_run(&shared.plan, &args, &tiles);
    }
    kc_same(k, c.y, other, c.y_floats, sizeof(float));
    kc_release(k);
}

static void check_random(kcheck *k) {
    int rounds = k->thorough ? 1500 : 150;
    for (int i = 0; i < rounds; i++) {
        hst__conv_f32_desc d = random_desc(k);
        hst__conv_f32_plan plan;
        kc_true(k, hst__conv_f32_plan_init(&plan, &d, k->level), "no candidate");
        const hst__conv_f32_kernel *picked = plan.kernel;
        hst__conv_f32_desc shared = d;
        shared.threads = kc_int(k, 2, 40);
        kc_true(k, hst__conv_f32_plan_init(&plan, &shared, k->level), "no candidate");
        kc_true(k, plan.kernel == picked, "the choice depends on the threads");
        for (size_t j = 0; hst__conv_f32_at(j); j++)
            check_one(k, &d, hst__conv_f32_at(j), i % 8 == 7);
    }
}

/* Sums of several blocks, aliasing pixels, many groups, tall windows. */
static const hst__conv_f32_desc corners[] = {
    {1, 9, 9, 160, 9, 9, 40, 1, 3, 3, 1, 1, 1, 1, 1, 1, 160, 40, false, 0},
    {1, 5, 6, 1024, 5, 6, 33, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1024, 33, false, 0},
    {1, 5, 6, 1024, 3, 3, 9, 1, 1, 1, 2, 2, 1, 1, 0, 0, 1024, 9, false, 0},
    {1, 4, 4, 1024, 4, 4, 9, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1024, 9, false, 0},
    {1, 7, 7, 64, 7, 7, 64, 16, 3, 3, 1, 1, 1, 1, 1, 1, 64, 64, false, 0},
    {1, 7, 7, 64, 7, 7, 64, 16, 3, 3, 1, 1, 1, 1, 1, 1, 64, 64, true, 0},
    {1, 40, 37, 3, 40, 37, 9, 1, 31, 31, 1, 1, 1, 1, 15, 15, 3, 9, true, 0},
    {2, 64, 64, 3, 32, 32, 32, 1, 7, 7, 2, 2, 1, 1, 3, 3, 3, 32, true, 0},
    {2, 64, 64, 3, 32, 32, 32, 1, 3, 3, 2, 2, 1, 1, 1, 1, 4, 32, false, 0},
    {1, 8, 8, 20, 8, 8, 4, 1, 9, 9, 1, 1, 1, 1, 4, 4, 20, 4, false, 0},
    {3, 1, 1, 5, 1, 1, 7, 1, 1, 1, 1, 1, 1, 1, 0, 0, 5, 7, false, 0},
    {1, 1, 50, 4, 1, 48, 7, 1, 1, 3, 1, 1, 1, 1, 0, 0, 4, 7, false, 0},
};

static void check_corners(kcheck *k) {
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        for (size_t j = 0; hst__conv_f32_at(j); j++)
            check_one(k, &corners[i], hst__conv_f32_at(j), false);
    }
    hst__conv_f32_plan plan;
    hst__conv_f32_desc bad = corners[0];
    for (int i = 0; i < 3; i++) {
        hst__conv_f32_desc empty = corners[0];
        *(i == 0 ? &empty.batch : i == 1 ? &empty.out_h : &empty.out_w) = 0;
        kc_true(k, hst__conv_f32_plan_init(&plan, &empty, k->level), "no output");
        hst__split split = hst__conv_f32_split(&plan);
        kc_true(k, hst__split_count(&split) == 0, "work for no output");
    }
    bad.groups = 3;
    kc_true(k, !hst__conv_f32_plan_init(&plan, &bad, k->level), "160 channels, 3 groups");
    /* Weights that fit in a block of memory as they are may not fit transformed. */
    hst__conv_f32_desc wide = {.batch = 1,
                               .in_h = 512,
                               .in_w = 512,
                               .in_c = 8192,
                               .out_h = 512,
                               .out_w = 512,
                               .out_c = 4096,
                               .groups = 1,
                               .kernel_h = 3,
                               .kernel_w = 3,
                               .stride_h = 1,
                               .stride_w = 1,
                               .dilation_h = 1,
                               .dilation_w = 1,
                               .pad_top = 1,
                               .pad_left = 1,
                               .x_stride = 8192,
                               .y_stride = 4096};
    kc_true(k, hst__conv_f32_plan_init(&plan, &wide, k->level), "1.2 GB of weights");
    kc_true(k, plan.packed_bytes <= HST__ALLOC_MAX, "%zu bytes of packed weights",
            plan.packed_bytes);
    bad = corners[0];
    bad.stride_h = 0;
    kc_true(k, !hst__conv_f32_plan_init(&plan, &bad, k->level), "no stride");
    bad = corners[0];
    bad.in_h = SIZE_MAX / 8;
    kc_true(k, !hst__conv_f32_plan_init(&plan, &bad, k->level), "an enormous input");
}

/* <conv(x), y> = <x, transposed(y)> for every shape: an identity in exact arithmetic, and
 * with small integers the arithmetic is exact. */
static void check_adjoint(kcheck *k) {
    for (int round = 0; round < 60; round++) {
        hst__conv_f32_desc d = random_desc(k);
        hst__conv_nd there = plain(&d), back = there;
        kc_case(k, "adjoint, round %d", round);
        size_t n_x = d.batch * d.in_c * d.in_h * d.in_w;
        size_t n_y = d.batch * d.out_c * d.out_h * d.out_w;
        float *x = kc_floats(k, n_x, KC_SMALL), *y = kc_floats(k, n_y, KC_SMALL);
        float *w = kc_floats(k, weights_of(&d), KC_SMALL);
        float *conv_x = kc_buffer(k, n_y * sizeof(float));
        float *back_y = kc_buffer(k, n_x * sizeof(float));
        for (int i = 0; i < 2; i++) {
            back.in[i] = there.out[i];
            back.out[i] = there.in[i];
        }
        back.in_c = there.out_c;
        back.out_c = there.in_c;
        hst__conv_nd_f32__ref(&there, x, w, NULL, conv_x, 0, d.batch * d.out_c);
        hst__conv_transpose_nd_f32__ref(&back, y, w, NULL, back_y, 0, d.batch * d.in_c);
        double left = 0, right = 0;
        for (size_t i = 0; i < n_y; i++)
            left += (double)conv_x[i] * (double)y[i];
        for (size_t i = 0; i < n_x; i++)
            right += (double)back_y[i] * (double)x[i];
        kc_true(k, left == right, "%g is not %g", left, right);
        kc_release(k);
    }
}

static void bench_run(void *context) {
    run(context, ((conv *)context)->y, SIZE_MAX, SIZE_MAX);
}

/* Every candidate that takes the shape; the one that would be picked is marked. */
static void bench_shape(kcheck *k, size_t in, size_t out, size_t in_c, size_t out_c,
                        size_t kernel, size_t groups) {
    hst__conv_f32_desc d = {.batch = 1,
                            .in_h = in,
                            .in_w = in,
                            .in_c = in_c,
                            .out_h = out,
                            .out_w = out,
                            .out_c = out_c,
                            .groups = groups,
                            .kernel_h = kernel,
                            .kernel_w = kernel,
                            .stride_h = in / out,
                            .stride_w = in / out,
                            .dilation_h = 1,
                            .dilation_w = 1,
                            .pad_top = (ptrdiff_t)kernel / 2,
                            .pad_left = (ptrdiff_t)kernel / 2,
                            .x_stride = in_c,
                            .y_stride = out_c,
                            .input_nchw = in_c == 3};
    hst__conv_f32_plan picked;
    if (!hst__conv_f32_plan_init(&picked, &d, k->level))
        return;
    for (size_t i = 0; hst__conv_f32_at(i); i++) {
        conv c;
        char what[96];
        kc_case(k, "bench");
        if (prepare(k, &c, &d, hst__conv_f32_at(i))) {
            pack(k, &c);
            c.epilogue.act.kind = HST__ACT_RELU;
            snprintf(what, sizeof what, "%s%zux%zu %zu>%zu @%zu %s",
                     c.plan.kernel == picked.kernel ? "*" : " ", kernel, kernel, in_c,
                     out_c, out, c.plan.kernel->name);
            kc_bench(k, what, 2.0 * (double)(c.pixels * weights_of(&d)), "GFLOP/s",
                     bench_run, &c);
        }
        kc_release(k);
    }
}

/* Layers of ResNet, YOLOv5 and ResNeXt. */
static void bench(kcheck *k) {
    static const size_t three[][2] = {{56, 64},  {28, 128}, {14, 256}, {7, 512},
                                      {160, 16}, {80, 32},  {40, 64},  {20, 128},
                                      {160, 32}, {80, 64},  {40, 128}, {20, 256}};
    for (size_t i = 0; i < sizeof three / sizeof *three; i++)
        bench_shape(k, three[i][0], three[i][0], three[i][1], three[i][1], 3, 1);
    bench_shape(k, 224, 112, 3, 64, 7, 1);
    bench_shape(k, 224, 112, 3, 32, 3, 1);
    bench_shape(k, 56, 28, 256, 512, 1, 1);
    bench_shape(k, 14, 14, 1024, 256, 1, 1);
    bench_shape(k, 56, 56, 128, 128, 3, 32);
}

void check_conv(kcheck *k) {
    const hst__gemm_f32_kernel *gemm = hst__gemm_f32_pick(k->level);
    if (!kc_fresh(k, 0, (kc_fn *)gemm->tile))
        return;
    check_random(k);
    check_corners(k);
    if (k->level == HST_CPU_REF)
        check_adjoint(k);
    if (k->bench)
        bench(k);
}
