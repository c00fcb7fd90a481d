#include "ops/group_norm.h"

#include <math.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/window.h"

enum { X, SCALE, BIAS };

typedef struct group_state {
    size_t channels, groups, positions; /**< positions: height times width */
    size_t channel_step, position_step; /**< elements */
    size_t scales;                      /**< channels or groups */
    float eps;
    hst__pieces pieces; /**< images times groups */
} group_state;

typedef struct job {
    const group_state *s;
    const float *x, *scale, *bias;
    float *y;
} job;

static void normalise(const job *j, size_t image, size_t group) {
    const group_state *s = j->s;
    size_t width = s->channels / s->groups, first = group * width;
    const float *x = j->x + image * s->channels * s->positions;
    float *y = j->y + image * s->channels * s->positions;
    double mean = 0, square = 0, n = (double)(width * s->positions);
    for (size_t c = first; c < first + width; c++)
        for (size_t p = 0; p < s->positions; p++)
            mean += (double)x[c * s->channel_step + p * s->position_step];
    mean /= n;
    for (size_t c = first; c < first + width; c++)
        for (size_t p = 0; p < s->positions; p++) {
            double d = (double)x[c * s->channel_step + p * s->position_step] - mean;
            square += d * d;
        }
    double factor = 1 / sqrt(square / n + (double)s->eps);
    for (size_t c = first; c < first + width; c++) {
        size_t k = s->scales == s->channels ? c : group;
        float a = (float)(factor * (double)j->scale[k]);
        float b = (float)((double)j->bias[k] - mean * factor * (double)j->scale[k]);
        for (size_t p = 0; p < s->positions; p++) {
            size_t at = c * s->channel_step + p * s->position_step;
            y[at] = x[at] * a + b;
        }
    }
}

static void task(void *context, int index, int worker) {
    const job *j = context;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&j->s->pieces, index, &from, &to);
    for (size_t i = from; i < to; i++)
        normalise(j, i / j->s->groups, i % j->s->groups);
}

static void run(const hst__step *step, const hst__run *r) {
    const group_state *s = step->state;
    job j = {s, hst__in(step, r, X), hst__in(step, r, SCALE), hst__in(step, r, BIAS),
             hst__out(step, r, 0)};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

hst_status hst__group_norm_prepare(hst__op_ctx *c, hst__step *step, int64_t groups,
                                   float eps) {
    const hst__desc *x = &c->in[X];
    group_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    for (int i = X; i <= BIAS; i++)
        if (c->in[i].dtype != HST_DTYPE_F32)
            return hst__op_bad_type(c, i, "f32");
    bool last = c->node->channels_last;
    int channel = hst__window_channel(last, x->rank);
    s->channels = x->rank > 1 ? (size_t)x->dims[channel] : 0;
    s->groups = groups < 0 ? s->channels : (size_t)groups;
    s->scales = hst__desc_size(&c->in[SCALE]);
    if (x->rank < 2 || s->groups < 1 || s->channels % s->groups != 0 ||
        (s->scales != s->channels && s->scales != s->groups) ||
        hst__desc_size(&c->in[BIAS]) != s->scales)
        return hst__op_fail(c, HST_E_SHAPE, "%zu channels, %zu groups, %zu scales",
                            s->channels, s->groups, s->scales);
    s->positions =
        last ? hst__desc_span(x, 1, x->rank - 1) : hst__desc_span(x, 2, x->rank);
    s->channel_step = last ? 1 : s->positions;
    s->position_step = last ? s->channels : 1;
    s->eps = eps;
    s->pieces = hst__pieces_cut(s->positions ? (size_t)x->dims[0] * s->groups : 0,
                                3.0 * (double)(s->channels / s->groups * s->positions), 1,
                                c->threads);
    step->state = s;
    step->in_place = 1;
    step->run = run;
    return HST_OK;
}
