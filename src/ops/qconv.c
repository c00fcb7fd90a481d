#include "ops/qconv.h"

#include <string.h>

#include "ops/pieces.h"
#include "ops/qproduct.h"
#include "ops/quant.h"
#include "ops/types.h"
#include "ops/window.h"

typedef struct qconv_state {
    hst__qconv q;
    hst__window w;
    size_t channels, out_channels, group_in, group_out, in_plane, out_plane, taps;
    hst__pieces pieces; /**< output planes */
} qconv_state;

static bool is_byte(hst_dtype t) { return t == HST_DTYPE_U8 || t == HST_DTYPE_S8; }

static hst_status geometry(hst__op_ctx *c, const hst__qconv *q, hst__window *w) {
    const hst__desc *x = &c->in[q->x], *k = &c->in[q->w];
    if (!is_byte(x->dtype) || !is_byte(k->dtype))
        return hst__op_bad_type(c, is_byte(x->dtype) ? q->w : q->x, "u8, s8");
    if (x->rank != k->rank || x->rank < 3)
        return hst__op_fail(c, HST_E_SHAPE, "input of rank %d and weights of rank %d",
                            x->rank, k->rank);
    hst_status st = hst__window_groups(c, x->dims[1], k);
    return st ? st : hst__window_init(c, x, false, k->dims + 2, w);
}

hst_status hst__qconv_infer(hst__op_ctx *c, const hst__qconv *q) {
    hst__window w;
    hst_status st = geometry(c, q, &w);
    if (st)
        return st;
    int64_t dims[HST_MAX_RANK] = {c->in[q->x].dims[0], c->in[q->w].dims[0]};
    for (int i = 0; i < w.dims; i++)
        dims[2 + i] = w.out[i];
    return hst__op_set_out(c, 0, q->y_scale < 0 ? HST_DTYPE_S32 : c->in[q->y_zero].dtype,
                           c->in[q->x].rank, dims);
}

/** Adds weight * (x - zero) of one tap to the plane of sums, row by row. */
static void add_tap(const qconv_state *s, const int16_t *x, int32_t weight, size_t tap,
                    int32_t *sum) {
    const hst__window *w = &s->w;
    int64_t at[HST__WINDOW_MAX] = {0}, k[HST__WINDOW_MAX];
    int last = w->dims - 1;
    for (int i = last; i >= 0; i--) {
        k[i] = (int64_t)(tap % (size_t)w->kernel[i]) * w->dilation[i] - w->pad_begin[i];
        tap /= (size_t)w->kernel[i];
    }
    for (size_t row = 0; row < s->out_plane / (size_t)w->out[last]; row++) {
        size_t left = row, base = 0;
        bool inside = true;
        for (int i = last - 1; i >= 0; i--) {
            at[i] = (int64_t)(left % (size_t)w->out[i]) * w->stride[i] + k[i];
            left /= (size_t)w->out[i];
            inside &= at[i] >= 0 && at[i] < w->in[i];
        }
        for (int i = 0; inside && i < last; i++)
            base = (base + (size_t)at[i]) * (size_t)w->in[i + 1];
        int32_t *y = sum + row * (size_t)w->out[last];
        for (int64_t o = 0; inside && o < w->out[last]; o++) {
            int64_t i = o * w->stride[last] + k[last];
            if (i >= 0 && i < w->in[last])
                y[o] += weight * x[base + (size_t)i];
        }
    }
}

static void finish_plane(const hst__step_job *j, const int32_t *sum, size_t plane,
                         size_t o) {
    const qconv_state *s = j->step->state;
    const hst__qconv *q = &s->q;
    void *y = hst__out(j->step, j->run, 0);
    size_t at = plane * s->out_plane;
    if (q->y_scale < 0) {
        memcpy((int32_t *)y + at, sum, s->out_plane * sizeof *sum);
        return;
    }
    const float *ws = hst__in(j->step, j->run, q->w_scale);
    const int32_t *bias = q->bias < 0 ? NULL : hst__in(j->step, j->run, q->bias);
    float sx = *(const float *)hst__in(j->step, j->run, q->x_scale);
    float sy = *(const float *)hst__in(j->step, j->run, q->y_scale);
    float sw = ws[hst__desc_size(&j->step->in_desc[q->w_scale]) > 1 ? o : 0];
    int32_t zero = hst__quant_zero(j->step, j->run, q->y_zero, 0);
    int64_t low = 0, high = 0;
    hst_dtype t = j->step->out_desc[0].dtype;
    hst__quant_range(t, &low, &high);
    for (size_t i = 0; i < s->out_plane; i++) {
        float v = (float)(sum[i] + (bias ? bias[o] : 0)) * (sx * sw / sy);
        hst__quant_store(t, y, at + i, hst__quant_round(v, zero, low, high));
    }
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const qconv_state *s = j->step->state;
    const hst__qconv *q = &s->q;
    int32_t *sum = (int32_t *)hst__worker_scratch(j->step, j->run, worker);
    int16_t *x = (int16_t *)(sum + s->out_plane);
    const char *in = hst__in(j->step, j->run, q->x), *w = hst__in(j->step, j->run, q->w);
    hst_dtype tx = j->step->in_desc[q->x].dtype, tw = j->step->in_desc[q->w].dtype;
    bool per_channel = q->w_zero >= 0 && hst__in(j->step, j->run, q->w_zero) &&
                       hst__desc_size(&j->step->in_desc[q->w_zero]) > 1;
    int32_t xz = q->x_zero < 0 ? 0 : hst__quant_zero(j->step, j->run, q->x_zero, 0);
    size_t from, to;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t p = from; p < to; p++) {
        size_t o = p % s->out_channels, image = p / s->out_channels;
        size_t first = image * s->channels + o / s->group_out * s->group_in;
        int32_t wz = q->w_zero < 0 ? 0
                                   : hst__quant_zero(j->step, j->run, q->w_zero,
                                                     per_channel ? o : 0);
        memset(sum, 0, s->out_plane * sizeof *sum);
        for (size_t c = 0; c < s->group_in; c++) {
            hst__q_centre(tx, in + (first + c) * s->in_plane, xz, x, s->in_plane);
            for (size_t t = 0; t < s->taps; t++) {
                int32_t v =
                    hst__quant_load(tw, w, (o * s->group_in + c) * s->taps + t) - wz;
                add_tap(s, x, v, t, sum);
            }
        }
        finish_plane(j, sum, p, o);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const qconv_state *)step->state)->pieces.count, task, &j);
}

hst_status hst__qconv_prepare(hst__op_ctx *c, hst__step *step, const hst__qconv *q) {
    qconv_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[q->x], *w = &c->in[q->w];
    hst_status st = geometry(c, q, &s->w);
    if (st)
        return st;
    s->q = *q;
    size_t groups = (size_t)hst__attr_int(c->node, "group", 1);
    s->channels = (size_t)x->dims[1];
    s->out_channels = (size_t)w->dims[0];
    s->group_in = (size_t)w->dims[1];
    s->group_out = s->out_channels / groups;
    s->in_plane = hst__desc_span(x, 2, x->rank);
    s->out_plane = hst__desc_span(&c->out[0], 2, x->rank);
    s->taps = hst__desc_span(w, 2, w->rank);
    const int per_channel[] = {q->w_zero, q->w_scale, q->bias};
    for (int i = 0; i < 3; i++) {
        int at = per_channel[i];
        size_t n = at >= 0 && hst__op_has(c, at) ? hst__desc_size(&c->in[at]) : 1;
        if (n != s->out_channels && (n != 1 || (at == q->bias && hst__op_has(c, at))))
            return hst__op_fail(c, HST_E_SHAPE,
                                "input %d has %zu elements for %zu channels", at, n,
                                s->out_channels);
    }
    double per_plane = (double)s->out_plane * (double)s->group_in * (double)s->taps;
    s->pieces = hst__pieces_cut(s->out_plane ? (size_t)x->dims[0] * s->out_channels : 0,
                                per_plane, 1, c->threads);
    step->worker_scratch = s->out_plane * sizeof(int32_t) + s->in_plane * sizeof(int16_t);
    step->macs = (double)hst__desc_size(&c->out[0]) * (double)(s->group_in * s->taps);
    step->ns = 2 * step->macs;
    step->state = s;
    step->run = run;
    return HST_OK;
}
