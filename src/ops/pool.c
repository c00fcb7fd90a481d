#include "ops/pool.h"

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/window.h"

enum { X, INDICES = 1 };

typedef struct pool_state {
    hst__pool_desc d;
    const hst__pool_f32 *kernels;
    hst__pool_rows *rows;
    hst__pool_all *all;
    hst__pieces pieces;
    bool max;
} pool_state;

static hst_status describe(hst__op_ctx *c, hst__pool_desc *d) {
    hst__window w;
    const hst__desc *x = &c->in[X];
    hst_status st = hst__window_init(c, x, c->node->channels_last, NULL, &w);
    if (st)
        return st;
    *d = (hst__pool_desc){
        .dims = w.dims,
        .batch = (size_t)x->dims[0],
        .channels = (size_t)x->dims[hst__window_channel(c->node->channels_last, x->rank)],
        .count_include_pad = hst__attr_int(c->node, "count_include_pad", 0),
        .column_major = hst__attr_int(c->node, "storage_order", 0)};
    for (int i = 0; i < w.dims; i++) {
        d->in[i] = w.in[i];
        d->out[i] = w.out[i];
        d->kernel[i] = w.kernel[i];
        d->stride[i] = w.stride[i];
        d->dilation[i] = w.dilation[i];
        d->pad_begin[i] = w.pad_begin[i];
        d->pad_end[i] = w.pad_end[i];
    }
    return HST_OK;
}

hst_status hst__pool_infer(hst__op_ctx *c) {
    hst__pool_desc d;
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = describe(c, &d);
    if (st)
        return st;
    int64_t dims[HST_MAX_RANK];
    dims[0] = (int64_t)d.batch;
    dims[hst__window_channel(c->node->channels_last, c->in[X].rank)] =
        (int64_t)d.channels;
    for (int i = 0; i < d.dims; i++)
        dims[hst__window_at(c->node->channels_last, i)] = d.out[i];
    st = hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, dims);
    if (!st && hst__op_wants(c, INDICES))
        st = hst__op_set_out(c, INDICES, HST_DTYPE_S64, c->in[X].rank, dims);
    return st;
}

static void rows_task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const pool_state *s = j->step->state;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    s->rows(&s->d, hst__in(j->step, j->run, X), hst__out(j->step, j->run, 0), from, to);
}

static void plain_task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const pool_state *s = j->step->state;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    const float *x = hst__in(j->step, j->run, X);
    float *y = hst__out(j->step, j->run, 0);
    if (s->max)
        hst__pool_nd_max_f32__ref(&s->d, x, y, hst__out(j->step, j->run, INDICES), from,
                                  to);
    else
        hst__pool_nd_average_f32__ref(&s->d, x, y, from, to);
}

static void run_rows(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const pool_state *)step->state)->pieces.count, rows_task,
                  &j);
}

static void run_plain(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const pool_state *)step->state)->pieces.count, plain_task,
                  &j);
}

/** Taps that lie in the input, at most. */
static double clipped_window(const hst__pool_desc *d) {
    double n = 1;
    for (int i = 0; i < d->dims; i++)
        n *= (double)(d->kernel[i] < d->in[i] ? d->kernel[i] : d->in[i]);
    return n;
}

/** Bytes are compared as they are: max pooling of u8 and s8 on planar tensors, by way of
 * floats, which hold every byte exactly. */
static void run_bytes(const hst__step *step, const hst__run *r) {
    const pool_state *s = step->state;
    size_t n = hst__desc_size(&step->in_desc[X]), m = hst__desc_size(&step->out_desc[0]);
    bool sign = step->in_desc[X].dtype == HST_DTYPE_S8;
    const uint8_t *x = hst__in(step, r, X);
    uint8_t *y = hst__out(step, r, 0);
    float *in = (float *)r->scratch, *out = in + n;
    for (size_t i = 0; i < n; i++)
        in[i] = sign ? (float)(int8_t)x[i] : (float)x[i];
    hst__pool_nd_max_f32__ref(&s->d, in, out, hst__out(step, r, INDICES), 0,
                              s->d.batch * s->d.channels);
    for (size_t i = 0; i < m; i++)
        y[i] = sign ? (uint8_t)(int8_t)out[i] : (uint8_t)out[i];
}

hst_status hst__pool_prepare(hst__op_ctx *c, hst__step *step, bool max) {
    pool_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    hst_dtype t = c->in[X].dtype;
    bool bytes = max && (t == HST_DTYPE_U8 || t == HST_DTYPE_S8);
    if (t != HST_DTYPE_F32 && !bytes)
        return hst__op_bad_type(c, X, max ? "f32, u8, s8" : "f32");
    hst_status st = describe(c, &s->d);
    if (st)
        return st;
    s->max = max;
    step->state = s;
    double window = 1, outputs = (double)hst__desc_size(&c->out[0]);
    for (int i = 0; i < s->d.dims; i++)
        window *= (double)s->d.kernel[i];
    if (bytes) {
        step->scratch = (hst__desc_size(&c->in[X]) + (size_t)outputs) * sizeof(float);
        step->ns = HST__POOL_TAP_NS * outputs * window;
        step->run = run_bytes;
    } else if (c->node->channels_last && !hst__op_wants(c, INDICES)) {
        s->kernels = hst__pool_pick(c->cpu);
        s->rows = max ? s->kernels->max : s->kernels->average;
        size_t rows = s->d.batch * (size_t)s->d.out[0];
        s->pieces = hst__pieces_cut(
            rows, outputs / (double)(rows ? rows : 1) * window * 0.1, 1, c->threads);
        step->ns = 0.3 * outputs * clipped_window(&s->d);
        step->kernel = s->kernels->name;
        step->run = run_rows;
    } else {
        size_t planes = s->d.batch * s->d.channels;
        s->pieces = hst__pieces_cut(
            planes, outputs / (double)(planes ? planes : 1) * window * 2, 1, c->threads);
        step->ns = HST__POOL_TAP_NS * outputs * window;
        step->kernel = "pool_nd_f32__ref";
        step->run = run_plain;
    }
    return HST_OK;
}

/* Global pooling. */

hst_status hst__pool_global_infer(hst__op_ctx *c) {
    int64_t dims[HST_MAX_RANK];
    const hst__desc *x = &c->in[X];
    hst_status st = hst__types_need(c, 1);
    if (st)
        return st;
    if (x->rank < 2)
        return hst__op_fail(c, HST_E_SHAPE, "input of rank %d; at least 2 is needed",
                            x->rank);
    for (int i = 0; i < x->rank; i++)
        dims[i] = 1;
    dims[0] = x->dims[0];
    int channel = hst__window_channel(c->node->channels_last, x->rank);
    dims[channel] = x->dims[channel];
    return hst__op_set_out(c, 0, x->dtype, x->rank, dims);
}

static void global_task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const pool_state *s = j->step->state;
    size_t from, to, n = (size_t)s->d.in[0], c = s->d.channels;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    const float *x = hst__in(j->step, j->run, X);
    float *y = hst__out(j->step, j->run, 0);
    for (size_t b = from; b < to; b++)
        s->all(x + b * n * c, y + b * c, n, c);
}

static void run_global(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const pool_state *)step->state)->pieces.count,
                  global_task, &j);
}

/** A planar tensor is one of a single channel for each of its planes. */
hst_status hst__pool_global_prepare(hst__op_ctx *c, hst__step *step, bool max) {
    pool_state *s = hst__op_state(c, sizeof *s);
    const hst__desc *x = &c->in[X];
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    if (x->dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, X, "f32");
    bool last = c->node->channels_last;
    s->d.batch = (size_t)(last ? x->dims[0] : x->dims[0] * x->dims[1]);
    s->d.channels = last ? (size_t)x->dims[x->rank - 1] : 1;
    s->d.in[0] = (ptrdiff_t)(last ? hst__desc_span(x, 1, x->rank - 1)
                                  : hst__desc_span(x, 2, x->rank));
    s->kernels = hst__pool_pick(c->cpu);
    s->all = max ? s->kernels->max_all : s->kernels->average_all;
    s->pieces = hst__pieces_cut(
        s->d.batch, (double)s->d.in[0] * (double)s->d.channels * 0.1, 1, c->threads);
    step->state = s;
    step->kernel = s->kernels->name;
    step->run = run_global;
    return HST_OK;
}
