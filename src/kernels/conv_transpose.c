#include "kernels/conv_transpose.h"

#include <string.h>

#include "base/memory.h"
#include "kernels/conv_kernels.h"

/* Along one dimension, tap k reaches the outputs o with (o + pad) % stride == residue,
 * residue = k * dilation % stride, from input (o + pad - k * dilation) / stride. */
typedef struct axis {
    size_t kernel, stride, dilation;
} axis;

static axis vertical(const hst__conv_f32_desc *d) {
    return (axis){d->kernel_h, d->stride_h, d->dilation_h};
}

static axis horizontal(const hst__conv_f32_desc *d) {
    return (axis){d->kernel_w, d->stride_w, d->dilation_w};
}

static size_t residue_of(const axis *a, size_t tap) {
    return tap * a->dilation % a->stride;
}

/* Taps with a residue below `residue`, and with just that one. */
static size_t taps_below(const axis *a, size_t residue) {
    size_t n = 0;
    for (size_t tap = 0; tap < a->kernel; tap++)
        n += residue_of(a, tap) < residue;
    return n;
}

static size_t taps_at(const axis *a, size_t residue) {
    size_t n = 0;
    for (size_t tap = 0; tap < a->kernel; tap++)
        n += residue_of(a, tap) == residue;
    return n;
}

/* The next tap with the residue, from `tap` on. */
static size_t find_tap(const axis *a, size_t residue, size_t tap) {
    while (tap < a->kernel && residue_of(a, tap) != residue)
        tap++;
    return tap;
}

static size_t residue_at(ptrdiff_t position, size_t stride) {
    ptrdiff_t r = position % (ptrdiff_t)stride;
    return (size_t)(r < 0 ? r + (ptrdiff_t)stride : r);
}

/* The outputs of one remainder: their taps and where their weights are. */
typedef struct phase {
    size_t row_residue, col_residue;
    size_t rows, cols; /* taps of the window */
    size_t block_taps, block_run;
    size_t packed; /* floats before the phase's weights */
    size_t group_floats;
} phase;

static phase phase_of(const hst__conv_transpose_f32_plan *plan, size_t row_residue,
                      size_t col_residue) {
    axis v = vertical(&plan->desc), h = horizontal(&plan->desc);
    phase p = {.row_residue = row_residue,
               .col_residue = col_residue,
               .rows = taps_at(&v, row_residue),
               .cols = taps_at(&h, col_residue)};
    size_t before =
        taps_below(&v, row_residue) * h.kernel + p.rows * taps_below(&h, col_residue);
    p.packed = before * plan->tap_floats;
    p.group_floats = p.rows * p.cols * (plan->tap_floats / plan->desc.groups);
    hst__gemm_f32_block_size(p.rows * p.cols, plan->group_in, &p.block_taps,
                             &p.block_run);
    if (!p.block_taps) /* no tap at all: one empty block, for the epilogue's sake */
        p.block_taps = 1;
    return p;
}

/* Scratch: the table, for as many taps as a block can have, then a pixel of zeros. */
static size_t table_bytes(const hst__conv_transpose_f32_plan *plan) {
    size_t taps = plan->desc.kernel_h * plan->desc.kernel_w;
    return hst__round_up(taps * plan->gemm->mr * sizeof(float *), HST__ALIGN);
}

bool hst__conv_transpose_f32_plan_init(hst__conv_transpose_f32_plan *plan,
                                       const hst__conv_f32_desc *desc,
                                       hst_cpu_level level) {
    if (!hst__conv_f32_is_possible(desc) || desc->input_nchw)
        return false;
    const hst__gemm_f32_kernel *gemm = hst__gemm_f32_pick(level);
    size_t group_in = desc->in_c / desc->groups, group_out = desc->out_c / desc->groups;
    size_t taps = desc->kernel_h * desc->kernel_w, zeros;
    *plan = (hst__conv_transpose_f32_plan){
        .desc = *desc,
        .gemm = gemm,
        .group_in = group_in,
        .group_out = group_out,
        .group_panels = (group_out + gemm->nr - 1) / gemm->nr,
        .rows = desc->batch * desc->out_h,
    };
    plan->n_panels = plan->group_panels * desc->groups;
    plan->row_flops = 2.0 * (double)(taps * group_in * gemm->nr * desc->out_w) /
                      (double)(desc->stride_h * desc->stride_w);
    if (!hst__gemm_f32_packed_floats(group_in, group_out, gemm->nr, &plan->tap_floats) ||
        !hst__mul(plan->tap_floats, desc->groups, &plan->tap_floats) ||
        !hst__mul(plan->tap_floats, taps * sizeof(float), &plan->packed_bytes))
        return false;
    return hst__mul(desc->in_c, sizeof(float), &zeros) &&
           hst__add(table_bytes(plan), zeros, &plan->scratch_bytes);
}

/* One tap of one panel, laid among the rows of its phase as hst__gemm_f32_tile reads
 * them: for each block of channels the phase's taps one after the other. */
static void pack_tap(const hst__conv_transpose_f32_plan *plan, const phase *p,
                     hst__gemm_f32_panel panel, size_t index) {
    const char *b = panel.b;
    float *packed = panel.packed;
    size_t taps = p->rows * p->cols;
    for (size_t c = 0; c < plan->group_in; c += p->block_run) {
        size_t left = plan->group_in - c;
        panel.k = left < p->block_run ? left : p->block_run;
        panel.block = panel.k;
        panel.b = b + c * panel.k_stride * sizeof(float);
        panel.packed = packed + (c * taps + index * panel.k) * panel.w;
        plan->gemm->pack(&panel);
    }
}

static void pack_phase(const hst__conv_transpose_f32_plan *plan, const phase *p,
                       const hst__gemm_f32_panel *panel) {
    axis v = vertical(&plan->desc), h = horizontal(&plan->desc);
    size_t index = 0;
    for (size_t kh = find_tap(&v, p->row_residue, 0); kh < v.kernel;
         kh = find_tap(&v, p->row_residue, kh + 1)) {
        for (size_t kw = find_tap(&h, p->col_residue, 0); kw < h.kernel;
             kw = find_tap(&h, p->col_residue, kw + 1)) {
            hst__gemm_f32_panel one = *panel;
            one.b += (kh * h.kernel + kw) * sizeof(float);
            pack_tap(plan, p, one, index++);
        }
    }
}

void hst__conv_transpose_f32_pack(const hst__conv_transpose_f32_plan *plan,
                                  const void *weights, const float *scale, float *packed,
                                  size_t n_begin, size_t n_end) {
    const hst__conv_f32_desc *d = &plan->desc;
    size_t taps = d->kernel_h * d->kernel_w, nr = plan->gemm->nr;
    size_t phases = d->stride_h < d->kernel_h * d->dilation_h
                        ? d->stride_h
                        : d->kernel_h * d->dilation_h;
    size_t col_phases = d->stride_w < d->kernel_w * d->dilation_w
                            ? d->stride_w
                            : d->kernel_w * d->dilation_w;
    for (size_t i = n_begin; i < n_end; i++) {
        size_t group = i / plan->group_panels, column = i % plan->group_panels * nr;
        size_t left = plan->group_out - column,
               channel = group * plan->group_out + column;
        size_t first = group * plan->group_in * plan->group_out + column;
        hst__gemm_f32_panel panel = {
            .b = (const char *)weights + first * taps * sizeof(float),
            .k_stride = plan->group_out * taps,
            .n_stride = taps,
            .n = left < nr ? left : nr,
            .w = hst__gemm_f32_panel_width(plan->group_out, column / nr, nr),
            .taps = 1,
            .scale = scale ? scale + channel : NULL,
        };
        for (size_t r = 0; r < phases * col_phases; r++) {
            phase p = phase_of(plan, r / col_phases, r % col_phases);
            panel.packed = packed + p.packed + group * p.group_floats +
                           column * p.rows * p.cols * plan->group_in;
            pack_phase(plan, &p, &panel);
        }
    }
}

/* One output row of one phase. */
typedef struct source {
    const hst__conv_transpose_f32_plan *plan;
    const phase *p;
    const float *image, *zeros;
    ptrdiff_t row; /* out_row + pad_top */
    ptrdiff_t col; /* first out_col + pad_left */
} source;

static void find_rows(void *context, const hst__gemm_f32_block *b) {
    const source *s = context;
    const hst__conv_f32_desc *d = &s->plan->desc;
    axis v = vertical(d), h = horizontal(d);
    size_t kh = find_tap(&v, s->p->row_residue, 0), index = 0;
    const float **entry = b->table;
    for (; kh < v.kernel; kh = find_tap(&v, s->p->row_residue, kh + 1)) {
        /* Exact, here and below: the positions of a phase leave no remainder. */
        ptrdiff_t y = (s->row - (ptrdiff_t)(kh * v.dilation)) / (ptrdiff_t)v.stride;
        bool row_inside =
            y >= 0 && y < (ptrdiff_t)d->in_h && s->row >= (ptrdiff_t)(kh * v.dilation);
        const float *line =
            s->image + (row_inside ? (size_t)y * d->in_w * d->x_stride : 0);
        size_t kw = find_tap(&h, s->p->col_residue, 0);
        for (; kw < h.kernel; kw = find_tap(&h, s->p->col_residue, kw + 1), index++) {
            if (index < b->tap_begin || index >= b->tap_begin + b->taps)
                continue;
            ptrdiff_t x = (s->col - (ptrdiff_t)(kw * h.dilation)) / (ptrdiff_t)h.stride +
                          (ptrdiff_t)b->m_begin;
            for (size_t i = 0; i < b->m; i++, x++) {
                bool inside = row_inside && x >= 0 && x < (ptrdiff_t)d->in_w;
                entry[i] = inside ? line + (size_t)x * d->x_stride : s->zeros;
            }
            entry += s->plan->gemm->mr;
        }
    }
}

static void run_phase(const hst__conv_transpose_f32_plan *plan,
                      const hst__conv_f32_args *args, const phase *p, size_t row,
                      size_t first_col, const hst__tiles *panels) {
    const hst__conv_f32_desc *d = &plan->desc;
    size_t mr = plan->gemm->mr, m = (d->out_w - first_col - 1) / d->stride_w + 1;
    size_t pixel = row * d->out_w + first_col, image = row / d->out_h;
    char *zeros = (char *)args->scratch + table_bytes(plan);
    source from = {.plan = plan,
                   .p = p,
                   .image = args->x + image * d->in_h * d->in_w * d->x_stride,
                   .zeros = (const float *)(const void *)zeros,
                   .row = (ptrdiff_t)(row % d->out_h) + d->pad_top,
                   .col = (ptrdiff_t)first_col + d->pad_left};
    hst__epilogue epilogue = *args->epilogue;
    if (epilogue.addend)
        epilogue.addend += pixel * epilogue.ldd;
    epilogue.ldd *= d->stride_w;
    hst__gemm_f32_loop loop = {
        .kernel = plan->gemm,
        .m = m,
        .taps = p->rows * p->cols,
        .run = plan->group_in,
        .block_taps = p->block_taps,
        .block_run = p->block_run,
        .group_n = plan->group_out,
        .group_panels = plan->group_panels,
        .group_floats = p->group_floats,
        .group_offset = plan->group_in,
        .packed = args->packed + p->packed,
        .c = args->y + pixel * d->y_stride,
        .ldc = d->y_stride * d->stride_w,
        .epilogue = &epilogue,
        .table = args->scratch,
        .rows = find_rows,
        .source = &from,
    };
    hst__tiles tiles = {0, (m + mr - 1) / mr, panels->n_begin, panels->n_end};
    hst__gemm_f32_loop_run(&loop, &tiles);
}

void hst__conv_transpose_f32_run(const hst__conv_transpose_f32_plan *plan,
                                 const hst__conv_f32_args *args,
                                 const hst__tiles *tiles) {
    const hst__conv_f32_desc *d = &plan->desc;
    memset((char *)args->scratch + table_bytes(plan), 0, d->in_c * sizeof(float));
    for (size_t row = tiles->m_begin; row < tiles->m_end; row++) {
        ptrdiff_t y = (ptrdiff_t)(row % d->out_h) + d->pad_top;
        for (size_t col = 0; col < d->stride_w && col < d->out_w; col++) {
            ptrdiff_t x = (ptrdiff_t)col + d->pad_left;
            phase p =
                phase_of(plan, residue_at(y, d->stride_h), residue_at(x, d->stride_w));
            run_phase(plan, args, &p, row, col, tiles);
        }
    }
}
