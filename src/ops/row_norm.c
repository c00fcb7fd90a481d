#include "ops/row_norm.h"

#include "kernels/rows.h"
#include "ops/pieces.h"

typedef struct norm_state {
    hst__row_norm p;
    hst__norm_row *row;
    hst__pieces pieces;
    size_t skip_rows; /**< rows of the skip input, which repeat */
} norm_state;

static const float *input(const hst__step_job *j, int i) {
    return i < 0 ? NULL : hst__in(j->step, j->run, i);
}

static float *output(const hst__step_job *j, int i) {
    return i < 0 ? NULL : hst__out(j->step, j->run, i);
}

static void add(const float *x, const float *skip, const float *bias, float *y,
                size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + skip[i] + (bias ? bias[i] : 0);
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const norm_state *s = j->step->state;
    const hst__row_norm *p = &s->p;
    const float *skip = input(j, p->skip);
    float *mean = output(j, p->mean), *inv_std = output(j, p->inv_std);
    float *sum = output(j, p->sum), *y = output(j, 0);
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t i = from; i < to; i++) {
        hst__norm_row_args a = {.x = input(j, p->x) + i * p->n,
                                .gamma = input(j, p->gamma),
                                .beta = input(j, p->beta),
                                .y = y + i * p->n,
                                .n = p->n,
                                .eps = p->eps,
                                .centre = p->centre,
                                .mean = mean ? mean + i : NULL,
                                .inv_std = inv_std ? inv_std + i : NULL};
        if (skip) {
            float *both = (sum ? sum : y) + i * p->n;
            add(a.x, skip + i % s->skip_rows * p->n, input(j, p->skip_bias), both, p->n);
            a.x = both;
        }
        s->row(&a);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const norm_state *)step->state)->pieces.count, task, &j);
}

hst_status hst__row_norm_prepare(hst__op_ctx *c, hst__step *step,
                                 const hst__row_norm *norm) {
    norm_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    s->p = *norm;
    s->row = hst__rows_pick(c->cpu)->norm;
    s->skip_rows =
        norm->skip < 0 || !norm->n ? 1 : hst__desc_size(&c->in[norm->skip]) / norm->n;
    if (s->skip_rows == 0)
        s->skip_rows = 1;
    s->pieces =
        hst__pieces_cut(norm->n ? norm->rows : 0, 0.5 * (double)norm->n, 1, c->threads);
    step->ns = 80 * (double)norm->rows;
    step->state = s;
    step->in_place = norm->skip < 0 && norm->mean < 0 && norm->inv_std < 0 ? 1 : 0;
    step->kernel = hst__rows_pick(c->cpu)->name;
    step->run = run;
    return HST_OK;
}
