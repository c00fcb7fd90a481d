#include "ops/bias_act.h"

#include "kernels/vmath.h"
#include "ops/activation.h"
#include "ops/pieces.h"

enum { X, BIAS };

hst_status hst__bias_act_infer(hst__op_ctx *c) {
    const hst__desc *x = &c->in[X];
    hst_status st = hst__unary_infer(c);
    if (!st && hst__op_has(c, BIAS) &&
        (x->rank < 1 || hst__desc_size(&c->in[BIAS]) != (size_t)x->dims[x->rank - 1]))
        st = hst__op_fail(c, HST_E_SHAPE,
                          "a bias of %zu elements does not fit the last "
                          "dimension",
                          hst__desc_size(&c->in[BIAS]));
    return st;
}

typedef struct bias_state {
    hst__act act;
    hst__act_row *row;
    size_t n;
    hst__pieces pieces;
} bias_state;

typedef struct job {
    const bias_state *s;
    const float *x, *bias;
    float *y;
} job;

static void task(void *context, int index, int worker) {
    const job *j = context;
    size_t from, to, n = j->s->n;
    (void)worker;
    hst__pieces_get(&j->s->pieces, index, &from, &to);
    for (size_t r = from; r < to; r++) {
        float *y = j->y + r * n;
        for (size_t i = 0; i < n; i++)
            y[i] = j->x[r * n + i] + j->bias[i];
        j->s->row(y, n, &j->s->act);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    const bias_state *s = step->state;
    job j = {s, hst__in(step, r, X), hst__in(step, r, BIAS), hst__out(step, r, 0)};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

hst_status hst__bias_act_prepare(hst__op_ctx *c, hst__step *step, hst__act act) {
    if (!hst__op_has(c, BIAS))
        return hst__activation_prepare(c, step, act);
    bias_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    for (int i = X; i <= BIAS; i++)
        if (c->in[i].dtype != HST_DTYPE_F32)
            return hst__op_bad_type(c, i, "f32");
    s->act = act;
    s->row = hst__act_select(&act, c->cpu);
    s->n = hst__desc_size(&c->in[BIAS]);
    s->pieces = hst__pieces_cut(s->n ? hst__desc_size(&c->in[X]) / s->n : 0,
                                1.2 * (double)s->n, 1, c->threads);
    step->in_place = 1u << X;
    step->state = s;
    step->kernel = hst__act_text(act.kind);
    step->run = run;
    return HST_OK;
}
