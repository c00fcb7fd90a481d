/* Conv. Two-dimensional convolutions of f32 run channels-last on the fast kernels; all
 * others run the plain n-dimensional one on planar tensors. Passes add the inputs 3 (a
 * tensor added before the activation) and 4 (a factor for each output channel's weights).
 */
#include <string.h>

#include "kernels/conv.h"
#include "kernels/conv_nd.h"
#include "kernels/dwconv.h"
#include "kernels/vmath.h"
#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"
#include "ops/window.h"

enum { X, W, BIAS, ADDEND, WSCALE };

static hst_status check(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    if (c->in[X].dtype != HST_DTYPE_F32 || c->in[W].dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, c->in[X].dtype != HST_DTYPE_F32 ? X : W, "f32");
    if (c->in[W].rank != c->in[X].rank || c->in[X].rank < 3)
        return hst__op_fail(c, HST_E_SHAPE, "input of rank %d and weights of rank %d",
                            c->in[X].rank, c->in[W].rank);
    return HST_OK;
}

static bool planar_input(const hst__node *n) {
    return !n->channels_last || hst__attr_int(n, "input_nchw", 0);
}

static hst_status geometry(hst__op_ctx *c, hst__window *w) {
    hst_status st = check(c);
    if (st)
        return st;
    const hst__desc *x = &c->in[X], *k = &c->in[W];
    st = hst__window_groups(
        c, x->dims[hst__window_channel(!planar_input(c->node), x->rank)], k);
    if (st)
        return st;
    if (hst__op_has(c, BIAS) && hst__desc_size(&c->in[BIAS]) != (size_t)k->dims[0])
        return hst__op_fail(c, HST_E_SHAPE, "the bias has %zu elements, %lld are needed",
                            hst__desc_size(&c->in[BIAS]), (long long)k->dims[0]);
    return hst__window_init(c, x, !planar_input(c->node), k->dims + 2, w);
}

static hst_status infer(hst__op_ctx *c) {
    hst__window w;
    hst_status st = geometry(c, &w);
    if (st)
        return st;
    bool last = c->node->channels_last;
    int64_t dims[HST_MAX_RANK];
    dims[0] = c->in[X].dims[0];
    dims[hst__window_channel(last, c->in[X].rank)] = c->in[W].dims[0];
    for (int i = 0; i < w.dims; i++)
        dims[hst__window_at(last, i)] = w.out[i];
    return hst__op_set_out(c, 0, HST_DTYPE_F32, c->in[X].rank, dims);
}

typedef struct conv_state {
    hst__conv_f32_plan plan;
    hst__dwconv_f32_plan dw;
    hst__conv_nd nd;
    hst__split split;
    hst__pieces pieces;
    hst__act act;
    hst__act_row *row;
    float *packed;
    const float *bias;
    size_t channels;
} conv_state;

static hst__epilogue epilogue(const conv_state *s, const hst__step *step,
                              const hst__run *r) {
    hst__epilogue e = HST__EPILOGUE_NONE;
    e.bias = hst__in(step, r, BIAS);
    e.addend = hst__in(step, r, ADDEND);
    e.ldd = s->channels;
    e.act = s->act;
    e.row = s->row;
    return e;
}

typedef struct job {
    const hst__step *step;
    const hst__run *run;
    hst__epilogue e;
} job;

static void fast_task(void *context, int index, int worker) {
    const job *j = context;
    const conv_state *s = j->step->state;
    hst__tiles tiles = hst__split_piece(&s->split, index);
    hst__conv_f32_args args = {.x = hst__in(j->step, j->run, X),
                               .packed = s->packed,
                               .y = hst__out(j->step, j->run, 0),
                               .epilogue = &j->e,
                               .scratch = hst__worker_scratch(j->step, j->run, worker)};
    hst__conv_f32_run(&s->plan, &args, &tiles);
}

static void fast_run(const hst__step *step, const hst__run *r) {
    const conv_state *s = step->state;
    job j = {step, r, epilogue(s, step, r)};
    hst__pool_run(r->threads, hst__split_count(&s->split), fast_task, &j);
}

static void depthwise_task(void *context, int index, int worker) {
    const job *j = context;
    const conv_state *s = j->step->state;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    hst__dwconv_f32_args args = {.x = hst__in(j->step, j->run, X),
                                 .packed = s->packed,
                                 .y = hst__out(j->step, j->run, 0),
                                 .epilogue = &j->e};
    hst__dwconv_f32_run(&s->dw, &args, from, to);
}

static void depthwise_run(const hst__step *step, const hst__run *r) {
    const conv_state *s = step->state;
    job j = {step, r, epilogue(s, step, r)};
    hst__pool_run(r->threads, s->pieces.count, depthwise_task, &j);
}

static void plain_task(void *context, int index, int worker) {
    const job *j = context;
    const conv_state *s = j->step->state;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    const float *scale = hst__in(j->step, j->run, WSCALE);
    float *y = hst__out(j->step, j->run, 0);
    const float *addend = hst__in(j->step, j->run, ADDEND), *bias = j->e.bias;
    size_t plane = 1;
    for (int i = 0; i < s->nd.dims; i++)
        plane *= s->nd.out[i];
    hst__conv_nd_f32__ref(&s->nd, hst__in(j->step, j->run, X),
                          hst__in(j->step, j->run, W), scale ? NULL : bias, y, from, to);
    for (size_t p = from; p < to; p++) {
        size_t o = p % s->nd.out_c;
        for (size_t i = 0; i < plane; i++) {
            float *v = &y[p * plane + i];
            if (scale)
                *v = *v * scale[o] + (bias ? bias[o] : 0);
            if (addend)
                *v += addend[p * plane + i];
        }
        if (s->row)
            s->row(y + p * plane, plane, &s->act);
    }
}

static void plain_run(const hst__step *step, const hst__run *r) {
    const conv_state *s = step->state;
    job j = {step, r, epilogue(s, step, r)};
    hst__pool_run(r->threads, s->pieces.count, plain_task, &j);
}

static void release_weights(hst__op_ctx *c, hst__step *step) {
    hst__op_release(c->in_const[W]);
    step->consumed |= 1u << W | 1u << WSCALE;
}

static const float *weight_scale(const hst__op_ctx *c) {
    return hst__op_has(c, WSCALE) ? c->in_const[WSCALE]->data : NULL;
}

static hst_status prepare_depthwise(hst__op_ctx *c, hst__step *step, conv_state *s,
                                    const hst__window *w) {
    hst__dwconv_f32_desc d = {.batch = (size_t)c->in[X].dims[0],
                              .in_h = (size_t)w->in[0],
                              .in_w = (size_t)w->in[1],
                              .in_c = (size_t)c->in[X].dims[3],
                              .out_h = (size_t)w->out[0],
                              .out_w = (size_t)w->out[1],
                              .multiplier = (size_t)(c->in[W].dims[0] / c->in[X].dims[3]),
                              .kernel_h = (size_t)w->kernel[0],
                              .kernel_w = (size_t)w->kernel[1],
                              .stride_h = (size_t)w->stride[0],
                              .stride_w = (size_t)w->stride[1],
                              .dilation_h = (size_t)w->dilation[0],
                              .dilation_w = (size_t)w->dilation[1],
                              .pad_top = w->pad_begin[0],
                              .pad_left = w->pad_begin[1],
                              .x_stride = (size_t)c->in[X].dims[3],
                              .y_stride = s->channels};
    if (!hst__dwconv_f32_plan_init(&s->dw, &d, c->cpu))
        return hst__op_fail(c, HST_E_LIMIT, "the convolution is too large");
    bool filled;
    s->packed = hst__op_block(c, s->dw.packed_bytes, &filled);
    if (!s->packed)
        return hst__op_nomem(c, s->dw.packed_bytes);
    if (!filled)
        hst__dwconv_f32_pack(&s->dw, c->in_const[W]->data, weight_scale(c), s->packed);
    release_weights(c, step);
    s->pieces = hst__pieces_cut(s->dw.rows, s->dw.row_flops / 30, 1, c->threads);
    step->ns = step->macs * (s->dw.desc.multiplier == 1 ? 0.1 : 3);
    step->kernel = s->dw.kernel->name;
    step->run = depthwise_run;
    return HST_OK;
}

static hst_status prepare_fast(hst__op_ctx *c, hst__step *step, conv_state *s,
                               const hst__window *w) {
    bool planar = planar_input(c->node);
    const hst__desc *x = &c->in[X];
    size_t in_c = (size_t)x->dims[planar ? 1 : 3];
    hst__conv_f32_desc d = {.batch = (size_t)x->dims[0],
                            .in_h = (size_t)w->in[0],
                            .in_w = (size_t)w->in[1],
                            .in_c = in_c,
                            .out_h = (size_t)w->out[0],
                            .out_w = (size_t)w->out[1],
                            .out_c = s->channels,
                            .groups = (size_t)hst__attr_int(c->node, "group", 1),
                            .kernel_h = (size_t)w->kernel[0],
                            .kernel_w = (size_t)w->kernel[1],
                            .stride_h = (size_t)w->stride[0],
                            .stride_w = (size_t)w->stride[1],
                            .dilation_h = (size_t)w->dilation[0],
                            .dilation_w = (size_t)w->dilation[1],
                            .pad_top = w->pad_begin[0],
                            .pad_left = w->pad_begin[1],
                            .x_stride = in_c,
                            .y_stride = s->channels,
                            .input_nchw = planar,
                            .threads = c->threads};
    if (!hst__conv_f32_plan_init(&s->plan, &d, c->cpu))
        return hst__op_fail(c, HST_E_LIMIT, "the convolution is too large");
    bool filled;
    s->packed = hst__op_block(c, s->plan.packed_bytes, &filled);
    if (!s->packed)
        return hst__op_nomem(c, s->plan.packed_bytes);
    if (!filled)
        hst__conv_f32_pack(&s->plan, c->in_const[W]->data, weight_scale(c), s->packed, 0,
                           s->plan.n_panels);
    release_weights(c, step);
    s->split = hst__conv_f32_split(&s->plan);
    step->ns = HST__MAC_NS / 2 * s->plan.tile_flops * (double)s->plan.m_tiles *
               (double)s->plan.n_panels;
    step->worker_scratch = s->plan.scratch_bytes;
    step->kernel = s->plan.kernel->name;
    step->run = fast_run;
    return HST_OK;
}

static hst_status prepare_plain(hst__op_ctx *c, hst__step *step, conv_state *s,
                                const hst__window *w) {
    const hst__desc *x = &c->in[X];
    s->nd = (hst__conv_nd){.dims = w->dims,
                           .batch = (size_t)x->dims[0],
                           .in_c = (size_t)x->dims[1],
                           .out_c = s->channels,
                           .groups = (size_t)hst__attr_int(c->node, "group", 1)};
    double plane = 1;
    for (int i = 0; i < w->dims; i++) {
        s->nd.in[i] = (size_t)w->in[i];
        s->nd.out[i] = (size_t)w->out[i];
        s->nd.kernel[i] = (size_t)w->kernel[i];
        s->nd.stride[i] = (size_t)w->stride[i];
        s->nd.dilation[i] = (size_t)w->dilation[i];
        s->nd.pad[i] = w->pad_begin[i];
        plane *= (double)w->out[i];
    }
    double per_plane = plane * (double)hst__desc_span(&c->in[W], 1, c->in[W].rank);
    s->pieces = hst__pieces_cut(s->nd.batch * s->nd.out_c, per_plane, 1, c->threads);
    step->unaligned |= 1u << W;
    step->ns = 8 * step->macs;
    step->kernel = "conv_nd_f32__ref";
    step->run = plain_run;
    return HST_OK;
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    hst__window w;
    hst_status st = geometry(c, &w);
    conv_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    s->channels = (size_t)c->in[W].dims[0];
    s->act = (hst__act){(hst__act_kind)c->node->act_kind, c->node->act_a, c->node->act_b};
    if (s->act.kind)
        s->row = hst__act_select(&s->act, c->cpu);
    step->state = s;
    step->macs = (double)hst__desc_size(&c->out[0]) *
                 (double)hst__desc_span(&c->in[W], 1, c->in[W].rank);
    if (!c->node->channels_last)
        return prepare_plain(c, step, s, &w);
    int64_t group = hst__attr_int(c->node, "group", 1);
    bool depthwise = !planar_input(c->node) && group > 1 && group == c->in[X].dims[3];
    return depthwise ? prepare_depthwise(c, step, s, &w) : prepare_fast(c, step, s, &w);
}

const hst__op hst__op_Conv = {7, HST__OPSET_MAX, 2, 3, 1, 1, false, infer, prepare};
