/* LRN: y = x / (bias + alpha / size * sum of squares over nearby channels)^beta. */
#include <math.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"
#include "ops/window.h"

typedef struct lrn_state {
    size_t channels, inner; /**< inner: from one channel to the next */
    size_t before, after;
    float alpha, beta, bias;
    hst__pieces pieces; /**< of positions: images times inner */
} lrn_state;

typedef struct job {
    const lrn_state *s;
    const float *x;
    float *y;
} job;

static void task(void *context, int index, int worker) {
    const job *j = context;
    const lrn_state *s = j->s;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t p = from; p < to; p++) {
        size_t base = p / s->inner * s->channels * s->inner + p % s->inner;
        for (size_t c = 0; c < s->channels; c++) {
            size_t first = c > s->before ? c - s->before : 0;
            size_t last = c + s->after < s->channels - 1 ? c + s->after : s->channels - 1;
            double sum = 0;
            for (size_t k = first; k <= last; k++) {
                double v = (double)j->x[base + k * s->inner];
                sum += v * v;
            }
            size_t at = base + c * s->inner;
            j->y[at] = (float)(j->x[at] / pow((double)s->bias + (double)s->alpha * sum,
                                              (double)s->beta));
        }
    }
}

static void run(const hst__step *step, const hst__run *r) {
    const lrn_state *s = step->state;
    job j = {s, hst__in(step, r, 0), hst__out(step, r, 0)};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    const hst__desc *x = &c->in[0];
    lrn_state *s = hst__op_state(c, sizeof *s);
    int64_t size = hst__attr_int(c->node, "size", 0);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    if (x->dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, 0, "f32");
    if (x->rank < 2 || size < 1 || size > 1 << 20)
        return hst__op_fail(c, HST_E_SHAPE, "rank %d, size %lld", x->rank,
                            (long long)size);
    int channel = hst__window_channel(c->node->channels_last, x->rank);
    s->channels = (size_t)x->dims[channel];
    s->inner = hst__desc_span(x, channel + 1, x->rank);
    s->before = (size_t)(size - 1) / 2;
    s->after = (size_t)size - 1 - s->before;
    s->alpha = hst__attr_float(c->node, "alpha", 1e-4f) / (float)size;
    s->beta = hst__attr_float(c->node, "beta", 0.75f);
    s->bias = hst__attr_float(c->node, "bias", 1);
    size_t positions = s->channels ? hst__desc_size(x) / s->channels : 0;
    s->pieces = hst__pieces_cut(positions, 30.0 * (double)s->channels, 1, c->threads);
    double window =
        (double)size < (double)s->channels ? (double)size : (double)s->channels;
    step->ns = (30 + 2 * window) * (double)hst__desc_size(x);
    step->state = s;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_LRN = {7,     HST__OPSET_MAX,   1,      1, 1, 1,
                             false, hst__unary_infer, prepare};
