#include "ops/softmax_common.h"

#include <math.h>

#include "kernels/rows.h"
#include "ops/pieces.h"
#include "ops/types.h"

typedef struct softmax_state {
    size_t outer, n, inner; /**< the axis has n elements, `inner` apart */
    bool logarithm;
    hst__softmax_row *row;
    hst__pieces pieces;
} softmax_state;

static void rows_task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const softmax_state *s = j->step->state;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    const float *x = hst__in(j->step, j->run, 0);
    float *y = hst__out(j->step, j->run, 0);
    for (size_t i = from; i < to; i++)
        s->row(x + i * s->n, y + i * s->n, s->n, s->logarithm);
}

/** Columns of an axis that is not the last: gathered into a row, worked on, put back. */
static void columns_task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const softmax_state *s = j->step->state;
    size_t from, to;
    hst__pieces_get(&s->pieces, index, &from, &to);
    const float *x = hst__in(j->step, j->run, 0);
    float *y = hst__out(j->step, j->run, 0);
    float *row = (float *)hst__worker_scratch(j->step, j->run, worker);
    for (size_t i = from; i < to; i++) {
        size_t base = i / s->inner * s->n * s->inner + i % s->inner;
        for (size_t k = 0; k < s->n; k++)
            row[k] = x[base + k * s->inner];
        s->row(row, row, s->n, s->logarithm);
        for (size_t k = 0; k < s->n; k++)
            y[base + k * s->inner] = row[k];
    }
}

static void run(const hst__step *step, const hst__run *r) {
    const softmax_state *s = step->state;
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, s->pieces.count, s->inner == 1 ? rows_task : columns_task,
                  &j);
}

static void run_f64(const hst__step *step, const hst__run *r) {
    const softmax_state *s = step->state;
    const double *x = hst__in(step, r, 0);
    double *y = hst__out(step, r, 0);
    for (size_t i = 0; i < s->outer * s->inner; i++) {
        size_t base = i / s->inner * s->n * s->inner + i % s->inner;
        double most = -INFINITY, sum = 0;
        for (size_t k = 0; k < s->n; k++)
            most = fmax(most, x[base + k * s->inner]);
        for (size_t k = 0; k < s->n; k++)
            sum += exp(x[base + k * s->inner] - most);
        for (size_t k = 0; k < s->n; k++) {
            double shifted = x[base + k * s->inner] - most;
            y[base + k * s->inner] =
                s->logarithm ? shifted - log(sum) : exp(shifted) / sum;
        }
    }
}

hst_status hst__softmax_prepare(hst__op_ctx *c, hst__step *step, bool logarithm) {
    const hst__desc *x = &c->in[0];
    bool one_axis = c->node->opset >= 13;
    int axis;
    softmax_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    if (x->dtype != HST_DTYPE_F32 && x->dtype != HST_DTYPE_F64)
        return hst__op_bad_type(c, 0, "f32, f64");
    hst_status st = hst__op_axis(c, hst__attr_int(c->node, "axis", one_axis ? -1 : 1),
                                 x->rank > 0 ? x->rank : 1, !one_axis, &axis);
    if (st)
        return st;
    *s = (softmax_state){.logarithm = logarithm, .row = hst__rows_pick(c->cpu)->softmax};
    s->outer = hst__desc_span(x, 0, axis < x->rank ? axis : x->rank);
    s->n = one_axis ? (x->rank ? (size_t)x->dims[axis] : 1)
                    : hst__desc_span(x, axis, x->rank);
    s->inner = one_axis && x->rank ? hst__desc_span(x, axis + 1, x->rank) : 1;
    s->pieces =
        hst__pieces_cut(s->n ? s->outer * s->inner : 0, (double)s->n, 1, c->threads);
    step->ns = (s->inner == 1 ? 5 : 50) * (double)hst__desc_size(x) +
               20 * (double)s->outer * (double)s->inner;
    step->state = s;
    step->in_place = 1;
    if (x->dtype == HST_DTYPE_F64) {
        step->run = run_f64;
        return HST_OK;
    }
    step->worker_scratch = s->inner == 1 ? 0 : s->n * sizeof(float);
    step->kernel = hst__rows_pick(c->cpu)->name;
    step->run = run;
    return HST_OK;
}
