#include "kernels/conv_kernels.h"

#include "base/memory.h"

static const hst__conv_f32_kernel *const kernels[] = {
#define CONV_F32_KERNEL(name) &hst__##name,
#include "kernels/conv.def"
#undef CONV_F32_KERNEL
};

enum { COUNT = sizeof kernels / sizeof *kernels };

const hst__conv_f32_kernel *hst__conv_f32_at(size_t i) {
    return i < COUNT ? kernels[i] : NULL;
}

static bool product_fits(size_t a, size_t b, size_t c, size_t d) {
    size_t bytes;
    return hst__mul(a, b, &bytes) && hst__mul(bytes, c, &bytes) &&
           hst__mul(bytes, d, &bytes) && hst__mul(bytes, sizeof(float), &bytes) &&
           bytes <= PTRDIFF_MAX;
}

/* Small enough that a few of them can be added and multiplied with channels freely. */
static bool is_position(size_t count, size_t step, ptrdiff_t pad) {
    const ptrdiff_t limit = (ptrdiff_t)1 << 40;
    size_t end;
    return hst__mul(count, step, &end) && end <= (size_t)limit && pad <= limit &&
           pad >= -limit;
}

/* Offsets inside the tensors and positions inside the padded input are then exact. */
bool hst__conv_f32_is_possible(const hst__conv_f32_desc *d) {
    if (!d->groups || d->in_c % d->groups || d->out_c % d->groups || !d->in_c ||
        !d->out_c)
        return false;
    if (!d->kernel_h || !d->kernel_w || !d->stride_h || !d->stride_w || !d->dilation_h ||
        !d->dilation_w)
        return false;
    if (d->y_stride < d->out_c || (!d->input_nchw && d->x_stride < d->in_c))
        return false;
    size_t x_stride = d->input_nchw ? d->in_c : d->x_stride;
    return product_fits(d->batch, d->in_h, d->in_w, x_stride) &&
           product_fits(d->batch, d->out_h, d->out_w, d->y_stride) &&
           product_fits(d->out_c, d->in_c / d->groups, d->kernel_h, d->kernel_w) &&
           is_position(d->in_h, 1, d->pad_top) && is_position(d->in_w, 1, d->pad_left) &&
           is_position(d->out_h, d->stride_h, 0) &&
           is_position(d->out_w, d->stride_w, 0) &&
           is_position(d->kernel_h, d->dilation_h, 0) &&
           is_position(d->kernel_w, d->dilation_w, 0);
}

bool hst__conv_f32_plan_with(hst__conv_f32_plan *plan, const hst__conv_f32_desc *desc,
                             hst_cpu_level level, const hst__conv_f32_kernel *kernel) {
    if (!hst__conv_f32_is_possible(desc))
        return false;
    const hst__gemm_f32_kernel *gemm = hst__gemm_f32_pick(level);
    size_t group_out = desc->out_c / desc->groups;
    *plan = (hst__conv_f32_plan){
        .desc = *desc,
        .kernel = kernel,
        .gemm = gemm,
        .taps = desc->kernel_h * desc->kernel_w,
        .group_in = desc->in_c / desc->groups,
        .group_out = group_out,
        .group_panels = (group_out + gemm->nr - 1) / gemm->nr,
    };
    size_t m = desc->batch * desc->out_h * desc->out_w, floats;
    size_t k = plan->taps * plan->group_in;
    plan->m_tiles = (m + gemm->mr - 1) / gemm->mr;
    plan->n_panels = plan->group_panels * desc->groups;
    plan->tile_flops = 2.0 * (double)(gemm->mr * gemm->nr) * (double)k;
    return hst__gemm_f32_packed_floats(k, group_out, gemm->nr, &floats) &&
           hst__mul(floats, desc->groups, &floats) &&
           hst__mul(floats, sizeof(float), &plan->packed_bytes) && kernel->plan(plan);
}

bool hst__conv_f32_plan_init(hst__conv_f32_plan *plan, const hst__conv_f32_desc *desc,
                             hst_cpu_level level) {
    for (size_t i = 0; i < COUNT; i++) {
        if (hst__conv_f32_plan_with(plan, desc, level, kernels[i]) &&
            (!kernels[i]->worth || kernels[i]->worth(plan)))
            return true;
    }
    return false;
}

static size_t group_floats(const hst__conv_f32_plan *plan) {
    return plan->packed_bytes / sizeof(float) / plan->desc.groups;
}

static void pack(const hst__conv_f32_plan *plan, const void *weights, const float *scale,
                 float *packed, const hst__tiles *panels, size_t taps, size_t block) {
    size_t k = plan->taps * plan->group_in, nr = plan->gemm->nr;
    for (size_t i = panels->n_begin; i < panels->n_end; i++) {
        size_t group = i / plan->group_panels, panel = i % plan->group_panels;
        size_t column = panel * nr, left = plan->group_out - column;
        size_t channel = group * plan->group_out + column;
        plan->gemm->pack(&(hst__gemm_f32_panel){
            .b = (const char *)weights + channel * k * sizeof(float),
            .k_stride = 1,
            .n_stride = k,
            .k = k,
            .n = left < nr ? left : nr,
            .w = hst__gemm_f32_panel_width(plan->group_out, panel, nr),
            .taps = taps,
            .block = block,
            .scale = scale ? scale + channel : NULL,
            .packed = packed + group * group_floats(plan) + column * k,
        });
    }
}

void hst__conv_f32_pack_taps(const hst__conv_f32_plan *plan, const void *weights,
                             const float *scale, float *packed, size_t n_begin,
                             size_t n_end) {
    size_t block = plan->block_run < plan->group_in ? plan->block_run : plan->group_in;
    pack(plan, weights, scale, packed, &(hst__tiles){.n_begin = n_begin, .n_end = n_end},
         plan->taps, block);
}

void hst__conv_f32_pack_natural(const hst__conv_f32_plan *plan, const void *weights,
                                const float *scale, float *packed, size_t n_begin,
                                size_t n_end) {
    pack(plan, weights, scale, packed, &(hst__tiles){.n_begin = n_begin, .n_end = n_end},
         1, plan->taps * plan->group_in);
}

hst__gemm_f32_loop hst__conv_f32_loop(const hst__conv_f32_plan *plan,
                                      const hst__conv_f32_args *args, size_t taps) {
    const hst__conv_f32_desc *d = &plan->desc;
    return (hst__gemm_f32_loop){
        .kernel = plan->gemm,
        .m = d->batch * d->out_h * d->out_w,
        .taps = taps,
        .run = plan->run,
        .block_taps = plan->block_taps,
        .block_run = plan->block_run,
        .group_n = plan->group_out,
        .group_panels = plan->group_panels,
        .group_floats = group_floats(plan),
        .packed = args->packed,
        .c = args->y,
        .ldc = d->y_stride,
        .epilogue = args->epilogue,
    };
}

hst__split hst__conv_f32_split(const hst__conv_f32_plan *plan) {
    if (plan->kernel->split)
        return plan->kernel->split(plan);
    return hst__split_tiles(plan->m_tiles, plan->n_panels, plan->tile_flops,
                            plan->desc.threads);
}

void hst__conv_f32_pack(const hst__conv_f32_plan *plan, const void *weights,
                        const float *scale, float *packed, size_t n_begin, size_t n_end) {
    plan->kernel->pack(plan, weights, scale, packed, n_begin, n_end);
}

void hst__conv_f32_run(const hst__conv_f32_plan *plan, const hst__conv_f32_args *args,
                       const hst__tiles *tiles) {
    plan->kernel->run(plan, args, tiles);
}
