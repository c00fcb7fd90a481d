/* Convolution through pointers: a tile's rows for one tap are the input pixels that its
 * outputs meet there, or a row of zeros outside the image. Nothing is copied, except
 * where pixels fall on the same cache sets. A 1 x 1 window is a plain matrix product. */
#include "kernels/conv_kernels.h"

#include <string.h>

#include "base/memory.h"

/* Scratch: the table, a pixel of zeros, gathered rows where the plan wants them. */
typedef struct layout {
    size_t zeros, copy, bytes;
} layout;

static bool lay_out(const hst__conv_f32_plan *plan, layout *l) {
    size_t table, zeros, copy;
    if (!hst__mul(plan->block_taps * plan->gemm->mr, sizeof(float *), &table) ||
        !hst__mul(plan->desc.in_c, sizeof(float), &zeros) ||
        !hst__mul(plan->copy_floats, sizeof(float), &copy))
        return false;
    l->zeros = hst__round_up(table, HST__ALIGN);
    l->copy = l->zeros + hst__round_up(zeros, HST__ALIGN);
    l->bytes = l->copy + copy;
    return true;
}

typedef struct source {
    const hst__conv_f32_plan *plan;
    const float *x;
    const float *zeros;
    float *copy;
    bool linear; /* output pixel m reads input pixel m */
} source;

static bool is_linear(const hst__conv_f32_desc *d) {
    return d->kernel_h == 1 && d->kernel_w == 1 && d->stride_h == 1 && d->stride_w == 1 &&
           d->pad_top == 0 && d->pad_left == 0 && d->out_h == d->in_h &&
           d->out_w == d->in_w;
}

static bool make_plan(hst__conv_f32_plan *plan) {
    const hst__conv_f32_desc *d = &plan->desc;
    if (d->input_nchw)
        return false;
    plan->run = plan->group_in;
    hst__gemm_f32_block_size(plan->taps, plan->run, &plan->block_taps, &plan->block_run);
    if (d->groups == 1 &&
        hst__gemm_f32_aliases(d->x_stride * d->stride_w, plan->gemm->mr))
        plan->copy_floats = plan->block_taps * plan->gemm->mr *
                            hst__gemm_f32_gather_stride(plan->block_run);
    layout l;
    if (!lay_out(plan, &l))
        return false;
    plan->scratch_bytes = l.bytes;
    return true;
}

/* Column `entry` of the table: where the taps of one output pixel are. */
static void point_taps(const source *s, const hst__gemm_f32_block *b,
                       const hst__conv_f32_pixel *pixel, const float **entry) {
    const hst__conv_f32_desc *d = &s->plan->desc;
    size_t mr = s->plan->gemm->mr, pixels = d->in_h * d->in_w;
    ptrdiff_t row = hst__conv_f32_in_row(d, pixel->out_row);
    ptrdiff_t first_col = hst__conv_f32_in_col(d, pixel->out_col);
    const float *image = s->x + pixel->image * pixels * d->x_stride;
    size_t tap = b->tap_begin, end = b->tap_begin + b->taps;
    row += (ptrdiff_t)(tap / d->kernel_w * d->dilation_h);
    for (size_t kw = tap % d->kernel_w; tap < end; kw = 0) {
        size_t left = d->kernel_w - kw, taps = left < end - tap ? left : end - tap;
        ptrdiff_t col = first_col + (ptrdiff_t)(kw * d->dilation_w);
        bool row_inside = row >= 0 && row < (ptrdiff_t)d->in_h;
        for (size_t i = 0; i < taps; i++, entry += mr, col += (ptrdiff_t)d->dilation_w) {
            bool inside = row_inside && col >= 0 && col < (ptrdiff_t)d->in_w;
            *entry = inside ? image + ((size_t)row * d->in_w + (size_t)col) * d->x_stride
                            : s->zeros;
        }
        tap += taps;
        row += (ptrdiff_t)d->dilation_h;
    }
}

static void gather(const source *s, const hst__gemm_f32_block *b) {
    size_t mr = s->plan->gemm->mr, stride = hst__gemm_f32_gather_stride(b->run);
    for (size_t tap = 0; tap < b->taps; tap++) {
        for (size_t i = 0; i < b->m; i++) {
            const float **entry = &b->table[tap * mr + i];
            float *to = s->copy + (tap * mr + i) * stride;
            memcpy(to, *entry + b->run_begin, b->run * sizeof(float));
            *entry = to;
        }
    }
}

static void find_rows(void *context, const hst__gemm_f32_block *b) {
    const source *s = context;
    const hst__conv_f32_desc *d = &s->plan->desc;
    if (s->linear) {
        for (size_t i = 0; i < b->m; i++)
            b->table[i] = s->x + (b->m_begin + i) * d->x_stride;
    } else {
        hst__conv_f32_pixel pixel = hst__conv_f32_pixel_at(d, b->m_begin);
        for (size_t i = 0; i < b->m; i++) {
            point_taps(s, b, &pixel, b->table + i);
            hst__conv_f32_pixel_next(d, &pixel);
        }
    }
    if (s->plan->copy_floats)
        gather(s, b);
}

static void run(const hst__conv_f32_plan *plan, const hst__conv_f32_args *args,
                const hst__tiles *tiles) {
    layout at;
    char *scratch = args->scratch;
    if (!lay_out(plan, &at))
        return; /* cannot be: the plan was made with the same sizes */
    float *zeros = (float *)(void *)(scratch + at.zeros);
    source from = {.plan = plan,
                   .x = args->x,
                   .zeros = zeros,
                   .copy = (float *)(void *)(scratch + at.copy),
                   .linear = is_linear(&plan->desc)};
    if (!from.linear)
        memset(zeros, 0, plan->desc.in_c * sizeof *zeros);
    hst__gemm_f32_loop loop = hst__conv_f32_loop(plan, args, plan->taps);
    loop.group_offset = plan->group_in;
    loop.gathered = plan->copy_floats > 0;
    loop.table = (const float **)(void *)scratch;
    loop.rows = find_rows;
    loop.source = &from;
    hst__gemm_f32_loop_run(&loop, tiles);
}

const hst__conv_f32_kernel hst__conv_f32_indirect = {
    .name = "conv_f32_indirect",
    .plan = make_plan,
    .pack = hst__conv_f32_pack_taps,
    .run = run,
};
