/* 3 x 3 convolution of stride 1 by Winograd's filtering: for each block of output tiles
 * the windows are transformed into n^2 matrices [tiles][in_c], each is multiplied with
 * its matrix of transformed weights into [tiles][out_c], and these are transformed back.
 * The block's matrices stay in L2. A grid row is one block. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/conv_kernels.h"
#include "kernels/winograd.h"

enum {
    BLOCK_BYTES = 1 << 20, /* of a block's matrices, to stay in L2 */
    CHANNELS_MAX = 1 << 14,
    PIXELS = HST__WINOGRAD_N_MAX * HST__WINOGRAD_N_MAX,
};

typedef struct layout {
    size_t m, n, matrices;          /* F(m x m): windows of n x n, n * n matrices */
    size_t tiles_h, tiles_w, tiles; /* of an image; of all */
    size_t block_max, block;        /* tiles in a block */
    size_t ldv, ldp;                /* row strides of windows and products */
    size_t v_step, p_step;          /* floats from matrix to matrix */
    size_t weights;                 /* packed floats of one matrix */
    size_t zeros, v, p, bytes;      /* offsets in scratch, after the table of rows */
} layout;

/* All but what follows from the block's size. */
static bool lay_out_tiles(const hst__conv_f32_plan *plan, size_t m, layout *l) {
    const hst__conv_f32_desc *d = &plan->desc;
    size_t bytes;
    *l = (layout){.m = m,
                  .n = m + 2,
                  .matrices = (m + 2) * (m + 2),
                  .tiles_h = (d->out_h + m - 1) / m,
                  .tiles_w = (d->out_w + m - 1) / m,
                  .ldv = hst__gemm_f32_gather_stride(d->in_c),
                  .ldp = hst__gemm_f32_gather_stride(d->out_c)};
    l->tiles = d->batch * l->tiles_h * l->tiles_w;
    l->block_max = BLOCK_BYTES / (l->matrices * (l->ldv + l->ldp) * sizeof(float));
    l->block_max = l->block_max > plan->gemm->mr ? l->block_max : plan->gemm->mr;
    return hst__gemm_f32_packed_floats(d->in_c, d->out_c, plan->gemm->nr, &l->weights) &&
           hst__mul(l->weights, l->matrices * sizeof(float), &bytes) &&
           bytes <= HST__ALLOC_MAX;
}

static void lay_out(const hst__conv_f32_plan *plan, size_t m, layout *l) {
    const hst__conv_f32_desc *d = &plan->desc;
    lay_out_tiles(plan, m, l);
    l->block = plan->winograd_block;
    l->v_step = hst__gemm_f32_gather_stride(l->block * l->ldv);
    l->p_step = hst__gemm_f32_gather_stride(l->block * l->ldp);
    l->zeros = hst__round_up(plan->gemm->mr * sizeof(float *), HST__ALIGN);
    l->v = l->zeros + hst__round_up(d->in_c * sizeof(float), HST__ALIGN);
    l->p = l->v + hst__round_up(l->matrices * l->v_step * sizeof(float), HST__ALIGN);
    l->bytes = l->p + l->matrices * l->p_step * sizeof(float);
}

/* Costs in units of one product at full rate, from measured layers of ResNet-18 and
 * YOLOv5 on one core with AVX-512: shares, so other cores are not far. */
static const double FILL = 0.85, /* of the full rate is what products reach */
    READ_FIRST = 30,             /* a packed weight, from memory */
    READ_AGAIN = 6,              /* for a further block, from beyond L2 */
    TRANSFORM_4 = 24,            /* a value of a transformed matrix, there and back */
    TRANSFORM_2 = 17;
enum { L2_FLOATS = 256 << 10 };

static double block_cost(const hst__conv_f32_plan *plan, const layout *l, size_t block) {
    const hst__conv_f32_desc *d = &plan->desc;
    double rows = (double)(block + (block % plan->gemm->mr != 0));
    double weights = (double)l->matrices * (double)l->weights;
    return rows * weights / FILL +
           (double)(block * l->matrices * (d->in_c + d->out_c)) *
               (l->m == 4 ? TRANSFORM_4 : TRANSFORM_2) +
           (weights > L2_FLOATS ? READ_AGAIN * weights : 0);
}

/* The block size for which the thread that has most to do is done first. */
static double best_block(const hst__conv_f32_plan *plan, const layout *l, size_t threads,
                         size_t *best) {
    size_t least = (l->tiles + l->block_max - 1) / l->block_max, mr = plan->gemm->mr;
    double cost = INFINITY;
    *best = 1;
    for (size_t blocks = least; blocks <= l->tiles && blocks < least + 4 * threads;
         blocks++) {
        size_t even = (l->tiles + blocks - 1) / blocks, whole = (even + mr - 1) / mr * mr;
        const size_t sizes[] = {even, whole < l->block_max ? whole : even};
        for (int i = 0; i < 2; i++) {
            size_t count = (l->tiles + sizes[i] - 1) / sizes[i];
            double turns = (double)((count + threads - 1) / threads);
            double c = turns * block_cost(plan, l, sizes[i]);
            if (c < cost) {
                cost = c;
                *best = sizes[i];
            }
        }
    }
    return cost + READ_FIRST * (double)l->matrices * (double)l->weights;
}

static size_t threads_of(const hst__conv_f32_plan *plan) {
    return plan->desc.threads > 1 ? (size_t)plan->desc.threads : 1;
}

static bool make_plan(hst__conv_f32_plan *plan, size_t m) {
    const hst__conv_f32_desc *d = &plan->desc;
    layout l;
    if (!d->batch || !d->out_h || !d->out_w || d->groups != 1 || d->input_nchw ||
        d->kernel_h != 3 || d->kernel_w != 3 || d->stride_h != 1 || d->stride_w != 1 ||
        d->dilation_h != 1 || d->dilation_w != 1 || d->in_c > CHANNELS_MAX ||
        d->out_c > CHANNELS_MAX || !lay_out_tiles(plan, m, &l))
        return false;
    best_block(plan, &l, threads_of(plan), &plan->winograd_block);
    lay_out(plan, m, &l);
    plan->run = d->in_c;
    hst__gemm_f32_block_size(1, d->in_c, &plan->block_taps, &plan->block_run);
    plan->packed_bytes = l.weights * l.matrices * sizeof(float);
    plan->scratch_bytes = l.bytes;
    plan->m_tiles = (l.tiles + l.block - 1) / l.block;
    plan->tile_flops =
        2.0 * (double)(l.matrices * l.block * plan->gemm->nr) * (double)d->in_c;
    return true;
}

/* A cut through the panels makes each piece transform the whole block. */
static hst__split split(const hst__conv_f32_plan *plan) {
    size_t threads = threads_of(plan), m = plan->m_tiles;
    size_t n = threads > 1 && m ? (threads + m - 1) / m : 1;
    return (hst__split){
        .m_tiles = m,
        .n_panels = plan->n_panels,
        .m_pieces = threads > 1 ? m : 1,
        .n_pieces = n < plan->n_panels ? n : plan->n_panels,
    };
}

/* Panel `panel` of all matrices: eight output channels at a time. */
static void pack_panel(const hst__conv_f32_plan *plan, const layout *l,
                       const char *weights, const float *scale, float *packed,
                       size_t panel) {
    const hst__conv_f32_desc *d = &plan->desc;
    size_t nr = plan->gemm->nr, first = panel * nr;
    size_t width = hst__gemm_f32_panel_width(d->out_c, panel, nr);
    float u[PIXELS][HST__WINOGRAD_LANES];
    double g[9][HST__WINOGRAD_LANES];
    for (size_t o = 0; o < width; o += HST__WINOGRAD_LANES)
        for (size_t c = 0; c < d->in_c; c++) {
            for (size_t lane = 0; lane < HST__WINOGRAD_LANES; lane++) {
                float w[9] = {0};
                size_t channel = first + o + lane;
                if (channel < d->out_c)
                    memcpy(w, weights + (channel * d->in_c + c) * sizeof w, sizeof w);
                double factor = scale && channel < d->out_c ? (double)scale[channel] : 1;
                for (int t = 0; t < 9; t++)
                    g[t][lane] = (double)w[t] * factor;
            }
            hst__winograd_weights(l->m, g, u);
            float *to = packed + first * d->in_c + c * width + o;
            for (size_t i = 0; i < l->matrices; i++)
                memcpy(to + i * l->weights, u[i], sizeof u[i]);
        }
}

static void pack(const hst__conv_f32_plan *plan, size_t m, const void *weights,
                 const float *scale, float *packed, size_t n_begin, size_t n_end) {
    layout l;
    lay_out(plan, m, &l);
    for (size_t i = n_begin; i < n_end; i++)
        pack_panel(plan, &l, weights, scale, packed, i);
}

/* Where output tile `tile` lies. */
typedef struct place {
    size_t image, row, col; /* of its first output pixel */
} place;

static place place_of(const layout *l, size_t tile) {
    size_t line = tile / l->tiles_w;
    return (place){line / l->tiles_h, line % l->tiles_h * l->m, tile % l->tiles_w * l->m};
}

static void find_window(const hst__conv_f32_desc *d, const layout *l, place at,
                        const float *x, const float *zeros, const float **pixel) {
    for (size_t i = 0; i < l->n; i++) {
        ptrdiff_t row = hst__conv_f32_in_row(d, at.row) + (ptrdiff_t)i;
        ptrdiff_t col = hst__conv_f32_in_col(d, at.col);
        bool row_inside = row >= 0 && row < (ptrdiff_t)d->in_h;
        ptrdiff_t line = (ptrdiff_t)(at.image * d->in_h) + row;
        for (size_t j = 0; j < l->n; j++, col++)
            *pixel++ =
                row_inside && col >= 0 && col < (ptrdiff_t)d->in_w
                    ? x + (line * (ptrdiff_t)d->in_w + col) * (ptrdiff_t)d->x_stride
                    : zeros;
    }
}

typedef struct source {
    const float *v;
    size_t ldv;
} source;

static void find_rows(void *context, const hst__gemm_f32_block *b) {
    const source *s = context;
    for (size_t i = 0; i < b->m; i++)
        b->table[i] = s->v + (b->m_begin + i) * s->ldv;
}

/* The n * n products of a block. */
static void multiply(const hst__conv_f32_plan *plan, const layout *l,
                     const hst__conv_f32_args *args, size_t rows,
                     const hst__tiles *tiles) {
    char *scratch = args->scratch;
    float *v = (float *)(void *)(scratch + l->v), *p = (float *)(void *)(scratch + l->p);
    const hst__epilogue none = HST__EPILOGUE_NONE;
    hst__gemm_f32_loop loop = hst__conv_f32_loop(plan, args, 1);
    hst__tiles all = {0, (rows + plan->gemm->mr - 1) / plan->gemm->mr, tiles->n_begin,
                      tiles->n_end};
    loop.m = rows;
    loop.ldc = l->ldp;
    loop.epilogue = &none;
    loop.table = args->scratch;
    loop.rows = find_rows;
    for (size_t i = 0; i < l->matrices; i++) {
        source from = {v + i * l->v_step, l->ldv};
        loop.source = &from;
        loop.packed = args->packed + i * l->weights;
        loop.then = i + 1 < l->matrices ? loop.packed + l->weights : NULL;
        loop.c = p + i * l->p_step;
        hst__gemm_f32_loop_run(&loop, &all);
    }
}

/* Back to pixels: channels from..to-1 of output tile `tile`, whose products start at p.
 */
static void finish(const hst__conv_f32_plan *plan, const layout *l,
                   const hst__winograd_f32 *kernel, const hst__conv_f32_args *args,
                   const float *p, size_t tile, size_t from, size_t to) {
    const hst__conv_f32_desc *d = &plan->desc;
    const hst__epilogue *e = args->epilogue;
    place at = place_of(l, tile);
    float *pixel[PIXELS];
    const float *addend[PIXELS];
    for (size_t i = 0; i < l->m * l->m; i++) {
        size_t row = at.row + i / l->m, col = at.col + i % l->m;
        size_t index = (at.image * d->out_h + row) * d->out_w + col;
        bool inside = row < d->out_h && col < d->out_w;
        pixel[i] = inside ? args->y + index * d->y_stride + from : NULL;
        addend[i] = inside && e->addend ? e->addend + index * e->ldd + from : NULL;
    }
    bool in_registers = hst__act_in_registers(e->act.kind);
    kernel->out(&(hst__winograd_out_args){.product = p + from,
                                          .step = l->p_step,
                                          .channels = to - from,
                                          .pixel = pixel,
                                          .addend = e->addend ? addend : NULL,
                                          .bias = e->bias ? e->bias + from : NULL,
                                          .alpha = e->alpha,
                                          .act = in_registers ? e->act : (hst__act){0}});
    for (size_t i = 0; i < l->m * l->m && !in_registers; i++)
        if (pixel[i])
            e->row(pixel[i], to - from, &e->act);
}

static void run(const hst__conv_f32_plan *plan, size_t m, const hst__conv_f32_args *args,
                const hst__tiles *tiles) {
    const hst__conv_f32_desc *d = &plan->desc;
    const hst__winograd_f32 *kernel = hst__winograd_pick(m, plan->gemm->level);
    layout l;
    lay_out(plan, m, &l);
    char *scratch = args->scratch;
    float *zeros = (float *)(void *)(scratch + l.zeros);
    float *v = (float *)(void *)(scratch + l.v), *p = (float *)(void *)(scratch + l.p);
    size_t nr = plan->gemm->nr, from = tiles->n_begin * nr, to = tiles->n_end * nr;
    to = to < d->out_c ? to : d->out_c;
    memset(zeros, 0, d->in_c * sizeof *zeros);
    for (size_t block = tiles->m_begin; block < tiles->m_end; block++) {
        size_t first = block * l.block, rows = l.tiles - first;
        rows = rows < l.block ? rows : l.block;
        for (size_t i = 0; i < rows; i++) {
            const float *pixel[PIXELS];
            find_window(d, &l, place_of(&l, first + i), args->x, zeros, pixel);
            kernel->in(pixel, d->in_c, v + i * l.ldv, l.v_step);
        }
        multiply(plan, &l, args, rows, tiles);
        for (size_t i = 0; i < rows; i++)
            finish(plan, &l, kernel, args, p + i * l.ldp, first + i, from, to);
    }
}

static double winograd_cost(const hst__conv_f32_plan *plan, size_t m) {
    layout l;
    size_t block;
    lay_out_tiles(plan, m, &l);
    return best_block(plan, &l, 1, &block);
}

static double direct_cost(const hst__conv_f32_plan *plan) {
    const hst__conv_f32_desc *d = &plan->desc;
    double weights = 9 * (double)d->in_c * (double)d->out_c;
    double pixels = (double)(d->batch * d->out_h * d->out_w);
    return pixels * weights / FILL + READ_FIRST * weights;
}

/* The costs are those of one thread, so that any number of threads gives the same bits.
 * The reference level is the definition: always direct. */
static bool worth(const hst__conv_f32_plan *plan, size_t m, size_t other) {
    double cost = winograd_cost(plan, m);
    return plan->gemm->level > HST_CPU_REF && cost < direct_cost(plan) &&
           cost <= winograd_cost(plan, other);
}

#define SIZE(m, other)                                                                   \
    static bool plan_##m(hst__conv_f32_plan *plan) { return make_plan(plan, m); }        \
    static bool worth_##m(const hst__conv_f32_plan *plan) {                              \
        return worth(plan, m, other);                                                    \
    }                                                                                    \
    static void pack_##m(const hst__conv_f32_plan *plan, const void *weights,            \
                         const float *scale, float *packed, size_t n_begin,              \
                         size_t n_end) {                                                 \
        pack(plan, m, weights, scale, packed, n_begin, n_end);                           \
    }                                                                                    \
    static void run_##m(const hst__conv_f32_plan *plan, const hst__conv_f32_args *args,  \
                        const hst__tiles *tiles) {                                       \
        run(plan, m, args, tiles);                                                       \
    }                                                                                    \
    const hst__conv_f32_kernel hst__conv_f32_winograd##m = {                             \
        .name = "conv_f32_winograd" #m,                                                  \
        .approximate = true,                                                             \
        .plan = plan_##m,                                                                \
        .worth = worth_##m,                                                              \
        .split = split,                                                                  \
        .pack = pack_##m,                                                                \
        .run = run_##m,                                                                  \
    };
SIZE(2, 4)
SIZE(4, 2)
