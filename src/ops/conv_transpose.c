/* ConvTranspose. Two-dimensional f32 runs channels-last on the fast kernel where a pass
 * has turned it so; all else runs the plain n-dimensional one on planar tensors. */
#include <string.h>

#include "kernels/conv_nd.h"
#include "kernels/conv_transpose.h"
#include "kernels/vmath.h"
#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"
#include "ops/window.h"

enum { X, W, BIAS };

typedef struct geometry {
    hst__conv_nd d;
    int channel; /**< position of the channels in memory */
} geometry;

/** Output size and padding: given, from output_shape, or from auto_pad. */
static hst_status settle(hst__op_ctx *c, geometry *g, const int64_t *extra,
                         const int64_t *pads) {
    hst__conv_nd *d = &g->d;
    const char *mode = hst__attr_string(c->node, "auto_pad", "NOTSET");
    size_t listed;
    const int64_t *shape = hst__attr_ints(c->node, "output_shape", &listed);
    bool same = strncmp(mode, "SAME", 4) == 0, lower = strcmp(mode, "SAME_LOWER") == 0;
    bool valid = strcmp(mode, "VALID") == 0;
    for (int i = 0; i < d->dims; i++) {
        int64_t full = ((int64_t)d->in[i] - 1) * (int64_t)d->stride[i] + extra[i] +
                       ((int64_t)d->kernel[i] - 1) * (int64_t)d->dilation[i] + 1;
        int64_t begin = pads[i], out = full - pads[i] - pads[d->dims + i];
        if (shape || same)
            out = shape ? shape[listed - (size_t)d->dims + (size_t)i]
                        : (int64_t)(d->in[i] * d->stride[i]);
        else if (valid)
            out = full;
        if (out < 0 || out > HST__WINDOW_LIMIT)
            return hst__op_fail(c, HST_E_SHAPE, "an output of %lld", (long long)out);
        int64_t total = full > out ? full - out : 0;
        if (shape || same) /* what is odd goes to the end, but SAME_LOWER puts it first */
            begin = lower ? total - total / 2 : total / 2;
        else if (valid)
            begin = 0;
        d->out[i] = (size_t)out;
        d->pad[i] = (ptrdiff_t)begin;
    }
    return HST_OK;
}

static hst_status read_geometry(hst__op_ctx *c, geometry *g) {
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    const hst__desc *x = &c->in[X], *w = &c->in[W];
    bool last = c->node->channels_last;
    int dims = x->rank - 2;
    int64_t group = hst__attr_int(c->node, "group", 1), list[2 * HST__CONV_ND_MAX];
    int64_t extra[HST__CONV_ND_MAX];
    size_t listed;
    if (x->dtype != HST_DTYPE_F32 || w->dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, x->dtype != HST_DTYPE_F32 ? X : W, "f32");
    if (dims < 1 || dims > HST__CONV_ND_MAX || w->rank != x->rank)
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "input of rank %d and weights of rank %d; "
                            "ranks 3 to 5 are",
                            x->rank, w->rank);
    g->channel = hst__window_channel(last, x->rank);
    if (group < 1 || w->dims[0] != x->dims[g->channel] || w->dims[0] % group != 0 ||
        w->dims[1] > HST__WINDOW_LIMIT / group)
        return hst__op_fail(c, HST_E_SHAPE,
                            "%lld channels in %lld groups do not fit the "
                            "weights",
                            (long long)x->dims[g->channel], (long long)group);
    g->d = (hst__conv_nd){.dims = dims,
                          .batch = (size_t)x->dims[0],
                          .in_c = (size_t)w->dims[0],
                          .out_c = (size_t)(w->dims[1] * group),
                          .groups = (size_t)group};
    if (hst__op_has(c, BIAS) && hst__desc_size(&c->in[BIAS]) != g->d.out_c)
        return hst__op_fail(c, HST_E_SHAPE, "the bias has %zu elements, %zu are needed",
                            hst__desc_size(&c->in[BIAS]), g->d.out_c);
    const int64_t *shape = hst__attr_ints(c->node, "output_shape", &listed);
    if (shape && listed < (size_t)dims)
        return hst__op_fail(c, HST_E_SHAPE, "output_shape has %zu values", listed);
    for (int i = 0; i < dims; i++) {
        g->d.in[i] = (size_t)x->dims[hst__window_at(last, i)];
        g->d.kernel[i] = (size_t)w->dims[2 + i];
        if (g->d.in[i] - 1 >= HST__WINDOW_LIMIT ||
            g->d.kernel[i] - 1 >= HST__WINDOW_LIMIT)
            return hst__op_fail(c, HST_E_SHAPE, "an input of %zu, a window of %zu",
                                g->d.in[i], g->d.kernel[i]);
    }
    st = hst__window_list(c, "strides", dims, 1, 1, list);
    for (int i = 0; !st && i < dims; i++)
        g->d.stride[i] = (size_t)list[i];
    if (!st)
        st = hst__window_list(c, "dilations", dims, 1, 1, list);
    for (int i = 0; !st && i < dims; i++)
        g->d.dilation[i] = (size_t)list[i];
    if (!st)
        st = hst__window_list(c, "output_padding", dims, 0, 0, extra);
    if (!st)
        st = hst__window_list(c, "pads", 2 * dims, 0, -HST__WINDOW_LIMIT, list);
    return st ? st : settle(c, g, extra, list);
}

static hst_status infer(hst__op_ctx *c) {
    geometry g;
    int64_t dims[HST_MAX_RANK];
    hst_status st = read_geometry(c, &g);
    if (st)
        return st;
    dims[0] = c->in[X].dims[0];
    dims[g.channel] = (int64_t)g.d.out_c;
    for (int i = 0; i < g.d.dims; i++)
        dims[hst__window_at(c->node->channels_last, i)] = (int64_t)g.d.out[i];
    return hst__op_set_out(c, 0, HST_DTYPE_F32, c->in[X].rank, dims);
}

typedef struct transpose_state {
    hst__conv_nd nd;
    hst__conv_transpose_f32_plan plan;
    hst__split split;
    hst__pieces pieces;
    float *packed;
    hst__act act;
    hst__act_row *row;
} transpose_state;

static void fast_task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const transpose_state *s = j->step->state;
    hst__epilogue e = HST__EPILOGUE_NONE;
    e.bias = hst__in(j->step, j->run, BIAS);
    e.act = s->act;
    e.row = s->row;
    hst__tiles tiles = hst__split_piece(&s->split, index);
    hst__conv_f32_args args = {.x = hst__in(j->step, j->run, X),
                               .packed = s->packed,
                               .y = hst__out(j->step, j->run, 0),
                               .epilogue = &e,
                               .scratch = hst__worker_scratch(j->step, j->run, worker)};
    hst__conv_transpose_f32_run(&s->plan, &args, &tiles);
}

static void fast_run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    const transpose_state *s = step->state;
    hst__pool_run(r->threads, hst__split_count(&s->split), fast_task, &j);
}

static void plain_task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const transpose_state *s = j->step->state;
    float *y = hst__out(j->step, j->run, 0);
    size_t from, to, plane = 1;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (int i = 0; i < s->nd.dims; i++)
        plane *= s->nd.out[i];
    hst__conv_transpose_nd_f32__ref(&s->nd, hst__in(j->step, j->run, X),
                                    hst__in(j->step, j->run, W),
                                    hst__in(j->step, j->run, BIAS), y, from, to);
    if (s->row)
        s->row(y + from * plane, (to - from) * plane, &s->act);
}

static void plain_run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    const transpose_state *s = step->state;
    hst__pool_run(r->threads, s->pieces.count, plain_task, &j);
}

static hst_status prepare_fast(hst__op_ctx *c, hst__step *step, transpose_state *s) {
    const hst__conv_nd *d = &s->nd;
    hst__conv_f32_desc desc = {.batch = d->batch,
                               .in_h = d->in[0],
                               .in_w = d->in[1],
                               .in_c = d->in_c,
                               .out_h = d->out[0],
                               .out_w = d->out[1],
                               .out_c = d->out_c,
                               .groups = d->groups,
                               .kernel_h = d->kernel[0],
                               .kernel_w = d->kernel[1],
                               .stride_h = d->stride[0],
                               .stride_w = d->stride[1],
                               .dilation_h = d->dilation[0],
                               .dilation_w = d->dilation[1],
                               .pad_top = d->pad[0],
                               .pad_left = d->pad[1],
                               .x_stride = d->in_c,
                               .y_stride = d->out_c};
    if (!hst__conv_transpose_f32_plan_init(&s->plan, &desc, c->cpu))
        return hst__op_fail(c, HST_E_LIMIT, "the convolution is too large");
    bool filled;
    s->packed = hst__op_block(c, s->plan.packed_bytes, &filled);
    if (!s->packed)
        return hst__op_nomem(c, s->plan.packed_bytes);
    if (!filled)
        hst__conv_transpose_f32_pack(&s->plan, c->in_const[W]->data, NULL, s->packed, 0,
                                     s->plan.n_panels);
    hst__op_release(c->in_const[W]);
    step->consumed = 1u << W;
    step->worker_scratch = s->plan.scratch_bytes;
    s->split =
        hst__split_tiles(s->plan.rows, s->plan.n_panels, s->plan.row_flops, c->threads);
    step->ns = HST__MAC_NS / 2 * s->plan.row_flops * (double)s->plan.rows *
               (double)s->plan.n_panels;
    step->kernel = "conv_transpose_f32";
    step->run = fast_run;
    return HST_OK;
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    geometry g;
    transpose_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    hst_status st = read_geometry(c, &g);
    if (st)
        return st;
    s->nd = g.d;
    s->act = (hst__act){(hst__act_kind)c->node->act_kind, c->node->act_a, c->node->act_b};
    if (s->act.kind)
        s->row = hst__act_select(&s->act, c->cpu);
    step->state = s;
    step->macs = (double)hst__desc_size(&c->in[X]) *
                 (double)hst__desc_span(&c->in[W], 1, c->in[W].rank);
    if (c->node->channels_last)
        return prepare_fast(c, step, s);
    size_t planes = g.d.batch * g.d.out_c;
    double per_plane = step->macs / (double)(planes > 0 ? planes : 1);
    s->pieces = hst__pieces_cut(planes, 2 * per_plane, 1, c->threads);
    step->unaligned = 1u << W;
    /* Each output asks every tap of every input channel of its group. */
    step->ns = 10 * (double)hst__desc_size(&c->out[0]) *
               (double)(g.d.in_c / (g.d.groups ? g.d.groups : 1)) *
               (double)hst__desc_span(&c->in[W], 2, c->in[W].rank);
    step->kernel = "conv_transpose_nd_f32__ref";
    step->run = plain_run;
    return HST_OK;
}

const hst__op hst__op_ConvTranspose = {7, HST__OPSET_MAX, 2,     3,      1,
                                       1, false,          infer, prepare};
