/* conv_transpose_f32: random shapes against the plain transposed convolution. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kcheck.h"
#include "kernels/conv_nd.h"
#include "kernels/conv_transpose.h"

/* One convolution with all its buffers; x_nchw and w are what the reference reads. */
typedef struct conv {
    hst__conv_f32_desc d;
    hst__conv_transpose_f32_plan plan;
    hst__epilogue epilogue;
    float *x_nchw, *x, *w, *scale, *packed, *y;
    void *scratch;
    size_t pixels, y_floats;
} conv;

static size_t size(kcheck *k, int lo, int hi) { return (size_t)kc_int(k, lo, hi); }

/* Output size of ONNX's ConvTranspose, with a few more or less than the inputs reach. */
static size_t out_size(size_t in, size_t stride, size_t kernel, size_t dilation,
                       ptrdiff_t pads) {
    ptrdiff_t n = (ptrdiff_t)((in - 1) * stride + (kernel - 1) * dilation) + 1 - pads;
    return n < 1 ? 0 : (size_t)n;
}

static hst__conv_f32_desc random_desc(kcheck *k) {
    static const size_t groups[] = {1, 1, 1, 2, 3};
    hst__conv_f32_desc d;
    do {
        d = (hst__conv_f32_desc){
            .batch = size(k, 1, 2),
            .in_h = size(k, 1, 7),
            .in_w = size(k, 1, 17),
            .groups = groups[kc_int(k, 0, 4)],
            .kernel_h = size(k, 1, 5),
            .kernel_w = size(k, 1, 5),
            .stride_h = size(k, 1, 4),
            .stride_w = size(k, 1, 4),
            .dilation_h = kc_one_in(k, 3) ? 2 : 1,
            .dilation_w = kc_one_in(k, 3) ? 3 : 1,
            .pad_top = kc_int(k, -1, 3),
            .pad_left = kc_int(k, -1, 3),
        };
        d.in_c = d.groups * size(k, 1, kc_one_in(k, 8) ? 200 : 30);
        d.out_c = d.groups * size(k, 1, 40);
        d.out_h = out_size(d.in_h, d.stride_h, d.kernel_h, d.dilation_h,
                           d.pad_top + kc_int(k, -3, 3));
        d.out_w = out_size(d.in_w, d.stride_w, d.kernel_w, d.dilation_w,
                           d.pad_left + kc_int(k, -3, 3));
        d.x_stride = d.in_c + size(k, 0, 2);
        d.y_stride = d.out_c + size(k, 0, 2);
    } while (!d.out_h || !d.out_w);
    return d;
}

static size_t weights_of(const hst__conv_f32_desc *d) {
    return d->in_c * (d->out_c / d->groups) * d->kernel_h * d->kernel_w;
}

static void lay_input(conv *c) {
    const hst__conv_f32_desc *d = &c->d;
    size_t area = d->in_h * d->in_w;
    for (size_t p = 0; p < d->batch * area; p++) {
        for (size_t i = 0; i < d->in_c; i++)
            c->x[p * d->x_stride + i] =
                c->x_nchw[(p / area * d->in_c + i) * area + p % area];
    }
}

static void prepare(kcheck *k, conv *c, const hst__conv_f32_desc *d) {
    *c = (conv){.d = *d, .epilogue = HST__EPILOGUE_NONE};
    kc_true(k, hst__conv_transpose_f32_plan_init(&c->plan, d, k->level), "plan");
    size_t in_pixels = d->batch * d->in_h * d->in_w;
    c->pixels = d->batch * d->out_h * d->out_w;
    c->x_nchw = kc_floats(k, in_pixels * d->in_c, KC_UNIT);
    c->x = kc_buffer(k, ((in_pixels - 1) * d->x_stride + d->in_c) * sizeof(float));
    lay_input(c);
    c->w = kc_floats(k, weights_of(d), KC_UNIT);
    c->packed = kc_buffer_aligned(k, c->plan.packed_bytes, 64);
    c->scratch = kc_buffer_aligned(k, c->plan.scratch_bytes, 128);
    c->y_floats = (c->pixels - 1) * d->y_stride + d->out_c;
    c->y = kc_buffer(k, c->y_floats * sizeof(float));
}

static void pack(kcheck *k, conv *c) {
    char *odd = kc_buffer(k, weights_of(&c->d) * sizeof(float) + 1);
    memcpy(odd, c->w, weights_of(&c->d) * sizeof(float));
    size_t cut = c->plan.n_panels / 2;
    hst__conv_transpose_f32_pack(&c->plan, odd, c->scale, c->packed, 0, cut);
    hst__conv_transpose_f32_pack(&c->plan, odd, c->scale, c->packed, cut,
                                 c->plan.n_panels);
}

static void run(const conv *c, float *y, size_t rows, size_t panels) {
    hst__conv_f32_args args = {c->x, c->packed, y, &c->epilogue, c->scratch};
    for (size_t j = c->plan.n_panels; j > 0;) {
        size_t j0 = j > panels ? j - panels : 0;
        for (size_t i = c->plan.rows; i > 0;) {
            size_t i0 = i > rows ? i - rows : 0;
            hst__conv_transpose_f32_run(&c->plan, &args, &(hst__tiles){i0, i, j0, j});
            i = i0;
        }
        j = j0;
    }
}

static void halve(float *y, size_t n, const hst__act *act) {
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] / 2 + act->b;
}

static void random_epilogue(kcheck *k, conv *c) {
    hst__epilogue *e = &c->epilogue;
    if (kc_one_in(k, 2))
        c->scale = kc_floats(k, c->d.out_c, KC_UNIT);
    if (kc_one_in(k, 2))
        e->bias = kc_floats(k, c->d.out_c, KC_UNIT);
    if (kc_one_in(k, 2)) {
        e->ldd = c->d.out_c + size(k, 0, 3);
        e->addend = kc_floats(k, (c->pixels - 1) * e->ldd + c->d.out_c, KC_UNIT);
    }
    e->act.kind = kc_one_in(k, 2) ? HST__ACT_RELU : HST__ACT_SILU;
    e->act.b = 0.25f;
    e->row = halve;
}

static float *reference(kcheck *k, const conv *c, const float *x, const float *w) {
    const hst__conv_f32_desc *d = &c->d;
    hst__conv_nd nd = {.dims = 2,
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
    float *y = kc_buffer(k, c->pixels * d->out_c * sizeof *y);
    hst__conv_transpose_nd_f32__ref(&nd, x, w, NULL, y, 0, d->batch * d->out_c);
    return y;
}

static float *magnitudes(kcheck *k, const float *x, size_t n) {
    float *y = kc_buffer(k, n * sizeof *y);
    for (size_t i = 0; i < n; i++)
        y[i] = fabsf(x[i]);
    return y;
}

static void compare(kcheck *k, const conv *c) {
    const hst__conv_f32_desc *d = &c->d;
    const hst__epilogue *e = &c->epilogue;
    size_t n = c->pixels * d->out_c, area = d->out_h * d->out_w;
    double *want = kc_buffer(k, n * sizeof *want),
           *bound = kc_buffer(k, n * sizeof *bound);
    float *got = kc_buffer(k, n * sizeof *got);
    float *sum = reference(k, c, c->x_nchw, c->w);
    float *weight =
        reference(k, c, magnitudes(k, c->x_nchw, d->batch * d->in_c * d->in_h * d->in_w),
                  magnitudes(k, c->w, weights_of(d)));
    double products = (double)(d->in_c / d->groups * d->kernel_h * d->kernel_w);
    for (size_t p = 0; p < c->pixels; p++) {
        for (size_t o = 0; o < d->out_c; o++) {
            size_t i = p * d->out_c + o, at = (p / area * d->out_c + o) * area + p % area;
            double scale = c->scale ? (double)c->scale[o] : 1;
            double bias = e->bias ? (double)e->bias[o] : 0;
            double addend = e->addend ? (double)e->addend[p * e->ldd + o] : 0;
            double norm =
                fabs(scale * (double)weight[at]) + fabs(bias) + fabs(addend) + 1;
            double x = (double)sum[at] * scale + bias + addend;
            want[i] = e->act.kind != HST__ACT_RELU ? x / 2 + (double)e->act.b
                      : x < 0                      ? 0
                                                   : x;
            bound[i] = (products + 8) * 0x1p-24 * norm;
            got[i] = c->y[p * d->y_stride + o];
        }
    }
    kc_close_bound(k, got, want, bound, n, d->out_c);
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

static void check_one(kcheck *k, const hst__conv_f32_desc *d) {
    kc_case(k, "%zux%zux%zux%zu to %zux%zux%zu, g%zu k%zux%zu s%zux%zu d%zux%zu p%tdx%td",
            d->batch, d->in_h, d->in_w, d->in_c, d->out_h, d->out_w, d->out_c, d->groups,
            d->kernel_h, d->kernel_w, d->stride_h, d->stride_w, d->dilation_h,
            d->dilation_w, d->pad_top, d->pad_left);
    conv c;
    prepare(k, &c, d);
    random_epilogue(k, &c);
    pack(k, &c);
    float *other = kc_buffer(k, c.y_floats * sizeof *other);
    float *before = kc_buffer(k, c.y_floats * sizeof *before);
    memcpy(other, c.y, c.y_floats * sizeof *other);
    memcpy(before, c.y, c.y_floats * sizeof *before);
    run(&c, c.y, SIZE_MAX, SIZE_MAX);
    compare(k, &c);
    kc_true(k, gaps_kept(&c, before), "wrote between the pixels");
    run(&c, other, size(k, 1, 3), size(k, 1, 2));
    kc_same(k, c.y, other, c.y_floats, sizeof(float));
    kc_release(k);
}

static void bench_run(void *context) {
    run(context, ((conv *)context)->y, SIZE_MAX, SIZE_MAX);
}

static void bench(kcheck *k) {
    static const hst__conv_f32_desc shapes[] = {
        {1, 80, 80, 24, 160, 160, 24, 1, 2, 2, 2, 2, 1, 1, 0, 0, 24, 24, false, 0},
        {1, 28, 28, 256, 56, 56, 128, 1, 4, 4, 2, 2, 1, 1, 1, 1, 256, 128, false, 0},
        {1, 64, 64, 64, 128, 128, 32, 1, 3, 3, 2, 2, 1, 1, 1, 1, 64, 32, false, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const hst__conv_f32_desc *d = &shapes[i];
        conv c;
        char what[64];
        kc_case(k, "bench");
        prepare(k, &c, d);
        pack(k, &c);
        snprintf(what, sizeof what, "%zux%zu %zu>%zu k%zu s%zu", d->in_h, d->in_w,
                 d->in_c, d->out_c, d->kernel_h, d->stride_h);
        double flops = 2.0 * (double)(d->in_h * d->in_w * weights_of(d));
        kc_bench(k, what, flops, "GFLOP/s", bench_run, &c);
        kc_release(k);
    }
}

void check_conv_transpose(kcheck *k) {
    const hst__gemm_f32_kernel *gemm = hst__gemm_f32_pick(k->level);
    if (!kc_fresh(k, 0, (kc_fn *)gemm->tile))
        return;
    int rounds = k->thorough ? 2000 : 150;
    for (int i = 0; i < rounds; i++) {
        hst__conv_f32_desc d = random_desc(k);
        check_one(k, &d);
    }
    if (k->bench)
        bench(k);
}
