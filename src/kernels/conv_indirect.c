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

/* Where the windows of a tile's pixels start: offset in x, input row and column, maybe
 * outside the input. */
typedef struct windows {
    ptrdiff_t at[HST__GEMM_MR_MAX], row[HST__GEMM_MR_MAX], col[HST__GEMM_MR_MAX];
    bool inside; /* all of them, entirely */
} windows;

static void find_windows(const hst__conv_f32_desc *d, size_t m_begin, size_t m,
                         windows *w) {
    hst__conv_f32_pixel pixel = hst__conv_f32_pixel_at(d, m_begin);
    ptrdiff_t last_row =
        (ptrdiff_t)d->in_h - (ptrdiff_t)((d->kernel_h - 1) * d->dilation_h);
    ptrdiff_t last_col =
        (ptrdiff_t)d->in_w - (ptrdiff_t)((d->kernel_w - 1) * d->dilation_w);
    w->inside = true;
    for (size_t i = 0; i < m; i++) {
        ptrdiff_t row = hst__conv_f32_in_row(d, pixel.out_row);
        ptrdiff_t col = hst__conv_f32_in_col(d, pixel.out_col);
        ptrdiff_t line = (ptrdiff_t)(pixel.image * d->in_h) + row;
        w->row[i] = row;
        w->col[i] = col;
        w->at[i] = (line * (ptrdiff_t)d->in_w + col) * (ptrdiff_t)d->x_stride;
        w->inside &= row >= 0 && row < last_row && col >= 0 && col < last_col;
        hst__conv_f32_pixel_next(d, &pixel);
    }
}

/* One line of the table: the pixels that a tap meets, `row` and `col` below and right of
 * the windows' starts. */
static void point_tap(const source *s, const windows *w, size_t m, ptrdiff_t row,
                      ptrdiff_t col, const float **entry) {
    const hst__conv_f32_desc *d = &s->plan->desc;
    ptrdiff_t offset = (row * (ptrdiff_t)d->in_w + col) * (ptrdiff_t)d->x_stride;
    for (size_t i = 0; i < m && w->inside; i++)
        entry[i] = s->x + (w->at[i] + offset);
    for (size_t i = 0; i < m && !w->inside; i++) {
        ptrdiff_t y = w->row[i] + row, x = w->col[i] + col;
        bool inside =
            y >= 0 && y < (ptrdiff_t)d->in_h && x >= 0 && x < (ptrdiff_t)d->in_w;
        entry[i] = inside ? s->x + (w->at[i] + offset) : s->zeros;
    }
}

static void point_taps(const source *s, const hst__gemm_f32_block *b) {
    const hst__conv_f32_desc *d = &s->plan->desc;
    windows w;
    find_windows(d, b->m_begin, b->m, &w);
    size_t kh = b->tap_begin / d->kernel_w, kw = b->tap_begin % d->kernel_w;
    const float **entry = b->table;
    for (size_t i = 0; i < b->taps; i++, entry += s->plan->gemm->mr) {
        point_tap(s, &w, b->m, (ptrdiff_t)(kh * d->dilation_h),
                  (ptrdiff_t)(kw * d->dilation_w), entry);
        if (++kw == d->kernel_w) {
            kw = 0;
            kh++;
        }
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
        point_taps(s, b);
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
