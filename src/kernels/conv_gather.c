/* Convolution of planar input of any shape: the values that each output pixel meets are
 * gathered one by one in the order the weights have, [channel][kernel_h][kernel_w]. For
 * the shapes that no other candidate takes. */
#include "kernels/conv_kernels.h"

#include "base/memory.h"

static bool make_plan(hst__conv_f32_plan *plan) {
    const hst__conv_f32_desc *d = &plan->desc;
    if (!d->input_nchw)
        return false;
    plan->run = plan->taps * plan->group_in;
    hst__gemm_f32_block_size(1, plan->run, &plan->block_taps, &plan->block_run);
    plan->copy_floats = plan->gemm->mr * hst__gemm_f32_gather_stride(plan->block_run);
    return hst__mul(plan->copy_floats, d->groups * sizeof(float), &plan->scratch_bytes);
}

typedef struct source {
    const hst__conv_f32_plan *plan;
    const float *x;
    float *copy; /* [groups][mr][stride] */
} source;

/* Values run_begin.. of one pixel of one group. */
static void gather(const source *s, const hst__gemm_f32_block *b,
                   const hst__conv_f32_pixel *pixel, size_t group, float *to) {
    const hst__conv_f32_desc *d = &s->plan->desc;
    size_t taps = s->plan->taps, channel = b->run_begin / taps, tap = b->run_begin % taps;
    ptrdiff_t first_row = hst__conv_f32_in_row(d, pixel->out_row);
    ptrdiff_t first_col = hst__conv_f32_in_col(d, pixel->out_col);
    const float *plane =
        s->x + (pixel->image * d->in_c + group * s->plan->group_in + channel) * d->in_h *
                   d->in_w;
    for (size_t k = 0; k < b->run; k++) {
        ptrdiff_t row = first_row + (ptrdiff_t)(tap / d->kernel_w * d->dilation_h);
        ptrdiff_t col = first_col + (ptrdiff_t)(tap % d->kernel_w * d->dilation_w);
        bool inside =
            row >= 0 && row < (ptrdiff_t)d->in_h && col >= 0 && col < (ptrdiff_t)d->in_w;
        to[k] = inside ? plane[(size_t)row * d->in_w + (size_t)col] : 0;
        if (++tap == taps) {
            tap = 0;
            plane += d->in_h * d->in_w;
        }
    }
}

static void find_rows(void *context, const hst__gemm_f32_block *b) {
    const source *s = context;
    const hst__conv_f32_plan *plan = s->plan;
    size_t stride = hst__gemm_f32_gather_stride(b->run);
    hst__conv_f32_pixel pixel = hst__conv_f32_pixel_at(&plan->desc, b->m_begin);
    for (size_t i = 0; i < b->m; i++) {
        b->table[i] = s->copy + i * stride;
        for (size_t group = 0; group < plan->desc.groups; group++)
            gather(s, b, &pixel, group, s->copy + group * plan->copy_floats + i * stride);
        hst__conv_f32_pixel_next(&plan->desc, &pixel);
    }
}

static void run(const hst__conv_f32_plan *plan, const hst__conv_f32_args *args,
                const hst__tiles *tiles) {
    const float *table[HST__GEMM_MR_MAX];
    source from = {plan, args->x, args->scratch};
    hst__gemm_f32_loop loop = hst__conv_f32_loop(plan, args, 1);
    loop.group_offset = plan->copy_floats;
    loop.gathered = true;
    loop.table = table;
    loop.rows = find_rows;
    loop.source = &from;
    hst__gemm_f32_loop_run(&loop, tiles);
}

const hst__conv_f32_kernel hst__conv_f32_gather = {
    .name = "conv_f32_gather",
    .plan = make_plan,
    .pack = hst__conv_f32_pack_natural,
    .run = run,
};
