/* Convolution of few channels (first layers): the input rows that some output rows need
 * are laid into scratch as [row][column][channel] with their padding, so that a whole row
 * of the window, kernel_w * in_c values, lies side by side: K = kernel_h runs of that
 * length. Planar input is interleaved on the way. Tiles do not cross images. */
#include "kernels/conv_kernels.h"

#include <string.h>

#include "base/memory.h"

enum {
    CHANNELS_MAX = 8,
    OUT_ROWS = 16,          /* at most: neighbours share kernel_h - stride_h input rows */
    ROWS_FLOATS = 48 << 10, /* wanted size of the rows in scratch, to stay in L2 */
    FLOATS_MAX = 2 << 20,   /* refused above: windows of enormous height */
};

/* Work inside one image: tiles are taken in chunks whose input rows are in scratch. */
typedef struct layout {
    size_t image_tiles, chunk_tiles;
    size_t row_floats; /* of an input row with its padding */
    size_t rows;       /* input rows of a chunk, at most */
    size_t floats;     /* offset of the rows after the table, in bytes */
    size_t bytes;
} layout;

static size_t in_rows(const hst__conv_f32_desc *d, size_t out_rows) {
    return (out_rows - 1) * d->stride_h + (d->kernel_h - 1) * d->dilation_h + 1;
}

static bool lay_out(const hst__conv_f32_plan *plan, layout *l) {
    const hst__conv_f32_desc *d = &plan->desc;
    size_t mr = plan->gemm->mr, pixels = d->out_h * d->out_w, floats;
    l->image_tiles = (pixels + mr - 1) / mr;
    l->row_floats = ((d->out_w - 1) * d->stride_w + d->kernel_w) * d->in_c;
    size_t rows = OUT_ROWS < d->out_h ? OUT_ROWS : d->out_h;
    while (rows > 1 && in_rows(d, rows) * l->row_floats > ROWS_FLOATS)
        rows--;
    l->chunk_tiles = rows * d->out_w / mr;
    l->chunk_tiles = l->chunk_tiles ? l->chunk_tiles : 1;
    /* A chunk may start and end within output rows. */
    size_t out_rows = (l->chunk_tiles * mr + d->out_w - 2) / d->out_w + 1;
    l->rows = in_rows(d, out_rows < d->out_h ? out_rows : d->out_h);
    l->floats = hst__round_up(plan->block_taps * mr * sizeof(float *), HST__ALIGN);
    if (!hst__mul(l->rows, l->row_floats, &floats) || floats > FLOATS_MAX)
        return false;
    l->bytes = l->floats + floats * sizeof(float);
    return true;
}

static bool make_plan(hst__conv_f32_plan *plan) {
    const hst__conv_f32_desc *d = &plan->desc;
    if (d->groups != 1 || d->in_c > CHANNELS_MAX || d->dilation_w != 1 || !d->out_h ||
        !d->out_w)
        return false;
    /* A 1 x 1 window needs no rows unless they must be interleaved. */
    if (plan->taps == 1 && !d->input_nchw)
        return false;
    plan->run = d->kernel_w * d->in_c;
    plan->block_run = plan->run;
    size_t taps = 1024 / plan->run;
    plan->block_taps = taps < 1 ? 1 : taps < d->kernel_h ? taps : d->kernel_h;
    layout l;
    if (!lay_out(plan, &l))
        return false;
    plan->m_tiles = d->batch * l.image_tiles;
    plan->scratch_bytes = l.bytes;
    return true;
}

typedef struct source {
    const hst__conv_f32_plan *plan;
    const layout *at;
    const float *rows;
    size_t first_out_row; /* whose window starts at the first of the rows */
} source;

static void find_rows(void *context, const hst__gemm_f32_block *b) {
    const source *s = context;
    const hst__conv_f32_desc *d = &s->plan->desc;
    size_t mr = s->plan->gemm->mr, tap_floats = d->dilation_h * s->at->row_floats;
    hst__conv_f32_pixel pixel = hst__conv_f32_pixel_at(d, b->m_begin);
    const float **entry = b->table;
    for (size_t i = 0; i < b->m; i++) {
        size_t row = (pixel.out_row - s->first_out_row) * d->stride_h;
        entry[i] = s->rows + row * s->at->row_floats +
                   pixel.out_col * d->stride_w * d->in_c + b->tap_begin * tap_floats;
        hst__conv_f32_pixel_next(d, &pixel);
    }
    for (size_t tap = 1; tap < b->taps; tap++, entry += mr) {
        for (size_t i = 0; i < b->m; i++)
            entry[mr + i] = entry[i] + tap_floats;
    }
}

typedef float four __attribute__((vector_size(16)));

/* Three planes, four pixels at a time: rgbr gbrg brgb. */
static void interleave_three(const float *r, const float *g, const float *b, size_t n,
                             float *out) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4, out += 12) {
        four x, y, z;
        memcpy(&x, r + i, sizeof x);
        memcpy(&y, g + i, sizeof y);
        memcpy(&z, b + i, sizeof z);
        /* Each is one shuffle on x86: two lanes of either operand. */
        four xxyy = __builtin_shufflevector(x, y, 0, 2, 4, 6);
        four yyzz = __builtin_shufflevector(y, z, 1, 3, 5, 7);
        four zzxx = __builtin_shufflevector(z, x, 0, 2, 5, 7);
        four first = __builtin_shufflevector(xxyy, zzxx, 0, 2, 4, 6);
        four second = __builtin_shufflevector(yyzz, xxyy, 0, 2, 5, 7);
        four third = __builtin_shufflevector(zzxx, yyzz, 1, 3, 5, 7);
        memcpy(out, &first, sizeof first);
        memcpy(out + 4, &second, sizeof second);
        memcpy(out + 8, &third, sizeof third);
    }
    for (; i < n; i++, out += 3) {
        out[0] = r[i];
        out[1] = g[i];
        out[2] = b[i];
    }
}

/* out[i * channels + c] = plane c [i]; planes lie `step` floats apart. */
static void interleave(const float *plane, size_t step, size_t channels, size_t n,
                       float *out) {
    if (channels == 3) {
        interleave_three(plane, plane + step, plane + 2 * step, n, out);
        return;
    }
    for (size_t c = 0; c < channels; c++, plane += step) {
        for (size_t i = 0; i < n; i++)
            out[i * channels + c] = plane[i];
    }
}

/* Columns from..to-1 of an input row, [column][channel]. */
static void copy_row(const hst__conv_f32_desc *d, const float *x, size_t image,
                     size_t row, size_t from, size_t to, float *out) {
    if (d->input_nchw) {
        size_t area = d->in_h * d->in_w;
        interleave(x + image * d->in_c * area + row * d->in_w + from, area, d->in_c,
                   to - from, out);
        return;
    }
    const float *pixel = x + ((image * d->in_h + row) * d->in_w + from) * d->x_stride;
    if (d->x_stride == d->in_c) {
        memcpy(out, pixel, (to - from) * d->in_c * sizeof *out);
        return;
    }
    for (size_t col = from; col < to; col++, pixel += d->x_stride, out += d->in_c)
        memcpy(out, pixel, d->in_c * sizeof *out);
}

/* One row of scratch: padding, the part of the input row that is met, padding. */
static void fill_row(const hst__conv_f32_desc *d, const layout *at, const float *x,
                     size_t image, ptrdiff_t row, float *out) {
    ptrdiff_t cols = (ptrdiff_t)(at->row_floats / d->in_c);
    ptrdiff_t begin = d->pad_left > 0 ? d->pad_left : 0;
    ptrdiff_t end = (ptrdiff_t)d->in_w + d->pad_left;
    begin = begin < cols ? begin : cols;
    end = end < cols ? end : cols;
    if (row < 0 || row >= (ptrdiff_t)d->in_h || end <= begin) {
        memset(out, 0, at->row_floats * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)begin * d->in_c * sizeof *out);
    copy_row(d, x, image, (size_t)row, (size_t)(begin - d->pad_left),
             (size_t)(end - d->pad_left), out + (size_t)begin * d->in_c);
    memset(out + (size_t)end * d->in_c, 0, (size_t)(cols - end) * d->in_c * sizeof *out);
}

/* Tiles tiles->m_begin..m_end-1 of one image, at most a chunk. */
static void run_chunk(const hst__conv_f32_plan *plan, const hst__conv_f32_args *args,
                      const layout *at, size_t image, const hst__tiles *tiles) {
    const hst__conv_f32_desc *d = &plan->desc;
    size_t mr = plan->gemm->mr, pixels = d->out_h * d->out_w;
    size_t last = tiles->m_end * mr < pixels ? tiles->m_end * mr - 1 : pixels - 1;
    size_t first_row = tiles->m_begin * mr / d->out_w;
    size_t rows = in_rows(d, last / d->out_w - first_row + 1);
    float *buffer = (float *)(void *)((char *)args->scratch + at->floats);
    ptrdiff_t row = hst__conv_f32_in_row(d, first_row);
    for (size_t i = 0; i < rows; i++)
        fill_row(d, at, args->x, image, row + (ptrdiff_t)i, buffer + i * at->row_floats);

    hst__epilogue epilogue = *args->epilogue;
    if (epilogue.addend)
        epilogue.addend += image * pixels * epilogue.ldd;
    source from = {plan, at, buffer, first_row};
    hst__gemm_f32_loop loop = hst__conv_f32_loop(plan, args, d->kernel_h);
    loop.m = pixels;
    loop.c += image * pixels * d->y_stride;
    loop.epilogue = &epilogue;
    loop.table = args->scratch;
    loop.rows = find_rows;
    loop.source = &from;
    hst__gemm_f32_loop_run(&loop, tiles);
}

static void run(const hst__conv_f32_plan *plan, const hst__conv_f32_args *args,
                const hst__tiles *tiles) {
    layout at;
    if (!lay_out(plan, &at))
        return; /* cannot be: the plan was made with the same sizes */
    for (size_t tile = tiles->m_begin; tile < tiles->m_end;) {
        size_t image = tile / at.image_tiles, first = image * at.image_tiles;
        size_t end = tile + at.chunk_tiles;
        end = end < tiles->m_end ? end : tiles->m_end;
        end = end < first + at.image_tiles ? end : first + at.image_tiles;
        hst__tiles chunk = {tile - first, end - first, tiles->n_begin, tiles->n_end};
        run_chunk(plan, args, &at, image, &chunk);
        tile = end;
    }
}

const hst__conv_f32_kernel hst__conv_f32_rows = {
    .name = "conv_f32_rows",
    .plan = make_plan,
    .pack = hst__conv_f32_pack_taps,
    .run = run,
};
