#include "kernels/dwconv_kernels.h"

#include <assert.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "kernels/epilogue_ref.h"

static const hst__dwconv_f32_kernel kernels[] = {
#define DWCONV_F32_KERNEL(level, function) {#function, level, hst__##function},
#include "kernels/dwconv.def"
#undef DWCONV_F32_KERNEL
};

enum {
    COUNT = sizeof kernels / sizeof *kernels,
    BLOCK = HST__DWCONV_BLOCK,
    WINDOW_FLOATS = 32 << 10 /* the input rows of a chunk of channels: 128 KB of L2 */
};

const hst__dwconv_f32_kernel *hst__dwconv_f32_at(size_t i) {
    return i < COUNT ? &kernels[i] : NULL;
}

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

static bool product_fits(size_t a, size_t b, size_t c, size_t d) {
    size_t bytes;
    return hst__mul(a, b, &bytes) && hst__mul(bytes, c, &bytes) &&
           hst__mul(bytes, d, &bytes) && hst__mul(bytes, sizeof(float), &bytes) &&
           bytes <= PTRDIFF_MAX;
}

static bool is_position(size_t count, size_t step, ptrdiff_t pad) {
    const ptrdiff_t limit = (ptrdiff_t)1 << 40;
    size_t end;
    return hst__mul(count, step, &end) && end <= (size_t)limit && pad <= limit &&
           pad >= -limit;
}

static bool is_possible(const hst__dwconv_f32_desc *d) {
    size_t out_c;
    if (!d->in_c || !d->multiplier || !hst__mul(d->in_c, d->multiplier, &out_c))
        return false;
    if (!d->kernel_h || !d->kernel_w || !d->stride_h || !d->stride_w || !d->dilation_h ||
        !d->dilation_w)
        return false;
    return d->x_stride >= d->in_c && d->y_stride >= out_c && out_c <= SIZE_MAX - BLOCK &&
           product_fits(d->batch, d->in_h, d->in_w, d->x_stride) &&
           product_fits(d->batch, d->out_h, d->out_w, d->y_stride) &&
           product_fits(out_c + BLOCK, d->kernel_h, d->kernel_w, 1) &&
           is_position(d->in_h, 1, d->pad_top) && is_position(d->in_w, 1, d->pad_left) &&
           is_position(d->out_h, d->stride_h, 0) &&
           is_position(d->out_w, d->stride_w, 0) &&
           is_position(d->kernel_h, d->dilation_h, 0) &&
           is_position(d->kernel_w, d->dilation_w, 0);
}

bool hst__dwconv_f32_plan_init(hst__dwconv_f32_plan *plan,
                               const hst__dwconv_f32_desc *desc, hst_cpu_level level) {
    if (!is_possible(desc))
        return false;
    level = hst__cpu_resolve(level);
    size_t i = COUNT - 1, taps = desc->kernel_h * desc->kernel_w;
    while (i > 0 && kernels[i].level > level)
        i--;
    *plan = (hst__dwconv_f32_plan){.desc = *desc,
                                   .kernel = &kernels[i],
                                   .out_c = desc->in_c * desc->multiplier,
                                   .rows = desc->batch * desc->out_h};
    plan->packed_bytes = hst__round_up(plan->out_c, BLOCK) * taps * sizeof(float);
    plan->row_flops = 2.0 * (double)taps * (double)(desc->out_w * plan->out_c);
    size_t columns = min(desc->in_w, desc->out_w * desc->stride_w + desc->kernel_w);
    size_t chunk = WINDOW_FLOATS / (columns * desc->kernel_h + 1) / BLOCK * BLOCK;
    plan->chunk = chunk ? chunk : BLOCK;
    return true;
}

void hst__dwconv_f32_pack(const hst__dwconv_f32_plan *plan, const void *weights,
                          const float *scale, float *packed) {
    size_t taps = plan->desc.kernel_h * plan->desc.kernel_w;
    size_t channels = hst__round_up(plan->out_c, BLOCK);
    for (size_t c = 0; c < channels; c++) {
        float *to = packed + c / BLOCK * taps * BLOCK + c % BLOCK;
        for (size_t t = 0; t < taps; t++) {
            float value = 0;
            if (c < plan->out_c)
                memcpy(&value, (const char *)weights + (c * taps + t) * sizeof value,
                       sizeof value);
            to[t * BLOCK] = scale && c < plan->out_c ? value * scale[c] : value;
        }
    }
}

static ptrdiff_t in_row(const hst__dwconv_f32_desc *d, size_t out_row) {
    return (ptrdiff_t)(out_row * d->stride_h) - d->pad_top;
}

static ptrdiff_t in_col(const hst__dwconv_f32_desc *d, size_t out_col) {
    return (ptrdiff_t)(out_col * d->stride_w) - d->pad_left;
}

/* One output row of one chunk of channels. */
typedef struct line {
    const hst__dwconv_f32_plan *plan;
    const hst__dwconv_f32_args *args;
    size_t image, out_row;
    hst__dwconv_span rows; /* of the window, inside the input */
    size_t channel, channels;
} line;

static void run_line(const line *l) {
    const hst__dwconv_f32_desc *d = &l->plan->desc;
    const hst__epilogue *e = l->args->epilogue;
    size_t taps = d->kernel_h * d->kernel_w;
    size_t pixel = (l->image * d->out_h + l->out_row) * d->out_w;
    hst__dwconv_f32_part p = {
        .x = l->args->x,
        .in_cols = d->in_w,
        .first_col = in_col(d, 0),
        .col_step = d->x_stride,
        .row_step = d->dilation_h * d->in_w * d->x_stride,
        .stride = d->stride_w,
        .dilation = d->dilation_w,
        .rows = l->rows.end - l->rows.begin,
        .cols = d->kernel_w,
        .w = l->args->packed + l->channel * taps + l->rows.begin * d->kernel_w * BLOCK,
        .w_row_step = d->kernel_w * BLOCK,
        .w_block_step = taps * BLOCK,
        .y = l->args->y + pixel * d->y_stride + l->channel,
        .y_step = d->y_stride,
        .pixels = d->out_w,
        .channels = l->channels,
        .bias = e->bias ? e->bias + l->channel : NULL,
        .addend = e->addend ? e->addend + pixel * e->ldd + l->channel : NULL,
        .ldd = e->ldd,
    };
    if (hst__act_in_registers(e->act.kind))
        p.act = e->act;
    if (p.rows) {
        ptrdiff_t row =
            in_row(d, l->out_row) + (ptrdiff_t)(l->rows.begin * d->dilation_h);
        p.x += (l->image * d->in_h + (size_t)row) * d->in_w * d->x_stride + l->channel;
    }
    l->plan->kernel->part(&p);
}

static void activate_line(const line *l) {
    const hst__dwconv_f32_desc *d = &l->plan->desc;
    const hst__epilogue *e = l->args->epilogue;
    size_t pixel = (l->image * d->out_h + l->out_row) * d->out_w;
    float *y = l->args->y + pixel * d->y_stride + l->channel;
    if (l->channels == d->y_stride) {
        e->row(y, d->out_w * l->channels, &e->act);
        return;
    }
    for (size_t i = 0; i < d->out_w; i++)
        e->row(y + i * d->y_stride, l->channels, &e->act);
}

/* Any multiplier: output channel o reads input channel o / multiplier. */
static void run_multiplied(const line *l) {
    const hst__dwconv_f32_desc *d = &l->plan->desc;
    const hst__epilogue *e = l->args->epilogue;
    size_t taps = d->kernel_h * d->kernel_w;
    size_t pixel = (l->image * d->out_h + l->out_row) * d->out_w;
    for (size_t col = 0; col < d->out_w; col++, pixel++) {
        hst__dwconv_span cols =
            hst__dwconv_taps_inside(in_col(d, col), d->dilation_w, d->kernel_w, d->in_w);
        for (size_t o = 0; o < l->plan->out_c; o++) {
            const float *w = l->args->packed + o / BLOCK * taps * BLOCK + o % BLOCK;
            float sum = e->bias ? e->bias[o] : 0;
            for (size_t kh = l->rows.begin; kh < l->rows.end; kh++) {
                ptrdiff_t row = in_row(d, l->out_row) + (ptrdiff_t)(kh * d->dilation_h);
                size_t first = (l->image * d->in_h + (size_t)row) * d->in_w;
                for (size_t kw = cols.begin; kw < cols.end; kw++) {
                    ptrdiff_t at = in_col(d, col) + (ptrdiff_t)(kw * d->dilation_w);
                    sum +=
                        l->args
                            ->x[(first + (size_t)at) * d->x_stride + o / d->multiplier] *
                        w[(kh * d->kernel_w + kw) * BLOCK];
                }
            }
            if (e->addend)
                sum += e->addend[pixel * e->ldd + o];
            l->args->y[pixel * d->y_stride + o] = hst__act_apply__ref(sum, &e->act);
        }
    }
}

void hst__dwconv_f32_run(const hst__dwconv_f32_plan *plan,
                         const hst__dwconv_f32_args *args, size_t row_begin,
                         size_t row_end) {
    const hst__dwconv_f32_desc *d = &plan->desc;
    bool in_registers = hst__act_in_registers(args->epilogue->act.kind);
    assert(in_registers || args->epilogue->row);
    size_t chunk = d->multiplier == 1 ? plan->chunk : plan->out_c;
    for (size_t channel = 0; channel < plan->out_c; channel += chunk) {
        for (size_t row = row_begin; row < row_end; row++) {
            line l = {.plan = plan,
                      .args = args,
                      .image = row / d->out_h,
                      .out_row = row % d->out_h,
                      .channel = channel,
                      .channels = min(chunk, plan->out_c - channel)};
            l.rows = hst__dwconv_taps_inside(in_row(d, l.out_row), d->dilation_h,
                                             d->kernel_h, d->in_h);
            if (d->multiplier == 1)
                run_line(&l);
            else
                run_multiplied(&l);
            if (!in_registers)
                activate_line(&l);
        }
    }
}
