/* BatchNormalization at inference: y = x * a[c] + b[c]. Where the four vectors are
 * constants a and b are worked out ahead, else at each run. */
#include <math.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"
#include "ops/window.h"

enum { X, SCALE, BIAS, MEAN, VAR };

typedef struct bn_state {
    size_t outer, channels, inner;
    float eps;
    hst__pieces pieces;
} bn_state;

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 5);
    if (st)
        return st;
    const hst__desc *x = &c->in[X];
    if (hst__attr_int(c->node, "training_mode", 0))
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "training_mode 1; only inference (0) is supported");
    for (int i = 1; i < c->n_out; i++)
        if (hst__op_wants(c, i))
            return hst__op_fail(c, HST_E_UNSUPPORTED,
                                "output %d belongs to training, which is not supported",
                                i);
    if (hst__attr_int(c->node, "spatial", 1) == 0)
        return hst__op_fail(c, HST_E_UNSUPPORTED, "spatial 0; only 1 is supported");
    if (x->rank < 1)
        return hst__op_fail(c, HST_E_SHAPE, "the input is a scalar");
    int64_t channels =
        x->rank == 1 ? 1 : x->dims[hst__window_channel(c->node->channels_last, x->rank)];
    for (int i = SCALE; i <= VAR; i++)
        if (hst__desc_size(&c->in[i]) != (size_t)channels)
            return hst__op_fail(c, HST_E_SHAPE,
                                "input %d has %zu elements for %lld channels", i,
                                hst__desc_size(&c->in[i]), (long long)channels);
    return hst__op_set_out(c, 0, x->dtype, x->rank, x->dims);
}

typedef struct job {
    const bn_state *s;
    const float *x, *a, *b;
    float *y;
} job;

static void task(void *context, int index, int worker) {
    const job *j = context;
    const bn_state *s = j->s;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t row = from; row < to; row++) {
        const float *x = j->x + row * s->channels * s->inner;
        float *y = j->y + row * s->channels * s->inner;
        for (size_t c = 0; c < s->channels; c++)
            for (size_t i = 0; i < s->inner; i++)
                y[c * s->inner + i] = x[c * s->inner + i] * j->a[c] + j->b[c];
    }
}

static void run(const hst__step *step, const hst__run *r) {
    const bn_state *s = step->state;
    const float *scale = hst__in(step, r, SCALE), *bias = hst__in(step, r, BIAS);
    const float *mean = hst__in(step, r, MEAN), *var = hst__in(step, r, VAR);
    float *a = (float *)r->scratch, *b = a + s->channels;
    for (size_t c = 0; c < s->channels; c++) {
        double factor = scale[c] / sqrt((double)var[c] + (double)s->eps);
        a[c] = (float)factor;
        b[c] = (float)(bias[c] - mean[c] * factor);
    }
    job j = {s, hst__in(step, r, X), a, b, hst__out(step, r, 0)};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    const hst__desc *x = &c->in[X];
    bn_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    for (int i = X; i <= VAR; i++)
        if (c->in[i].dtype != HST_DTYPE_F32)
            return hst__op_bad_type(c, i, "f32");
    bool last = c->node->channels_last;
    s->channels = x->rank == 1 ? 1 : (size_t)x->dims[hst__window_channel(last, x->rank)];
    s->inner = last || x->rank < 3 ? 1 : hst__desc_span(x, 2, x->rank);
    s->outer = s->channels && s->inner ? hst__desc_size(x) / s->channels / s->inner : 0;
    s->eps = hst__attr_float(c->node, "epsilon", 1e-5f);
    s->pieces =
        hst__pieces_cut(s->outer, 0.3 * (double)(s->channels * s->inner), 1, c->threads);
    step->scratch = 2 * s->channels * sizeof(float);
    step->in_place = 1;
    step->state = s;
    step->kernel = "scale_shift_f32";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_BatchNormalization = {7, HST__OPSET_MAX, 5,     5,      1,
                                            5, false,          infer, prepare};
