#include "ops/arg_extreme.h"

#include "ops/pieces.h"
#include "ops/types.h"

static hst_status get_axis(hst__op_ctx *c, int *axis) {
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = hst__op_axis(c, hst__attr_int(c->node, "axis", 0), c->in[0].rank, false,
                          axis);
    return st;
}

hst_status hst__arg_infer(hst__op_ctx *c) {
    int axis, rank = 0;
    int64_t dims[HST_MAX_RANK];
    hst_status st = get_axis(c, &axis);
    if (st)
        return st;
    bool keep = hst__attr_int(c->node, "keepdims", 1);
    for (int i = 0; i < c->in[0].rank; i++)
        if (i != axis)
            dims[rank++] = c->in[0].dims[i];
        else if (keep)
            dims[rank++] = 1;
    if (c->in[0].dims[axis] == 0)
        return hst__op_fail(c, HST_E_SHAPE, "axis %d is empty", axis);
    return hst__op_set_out(c, 0, HST_DTYPE_S64, rank, dims);
}

typedef struct arg_state {
    size_t n, inner;
    bool max, last;
    void (*row)(const struct arg_state *s, const void *x, size_t base, int64_t *y);
    hst__pieces pieces;
} arg_state;

#define ARG_ROW(arg, suffix, dtype, ctype)                                               \
    static void row_##suffix(const arg_state *s, const void *from, size_t base,          \
                             int64_t *y) {                                               \
        const ctype *x = (const ctype *)from + base;                                     \
        size_t best = 0;                                                                 \
        for (size_t i = 1; i < s->n; i++) {                                              \
            ctype v = x[i * s->inner], b = x[best * s->inner];                           \
            bool better = s->max ? v > b : v < b, equal = v == b;                        \
            if (better || (equal && s->last) || (v != v && b == b))                      \
                best = i;                                                                \
        }                                                                                \
        *y = (int64_t)best;                                                              \
    }
HST__TYPES_NUMBER(ARG_ROW, )

typedef struct job {
    const arg_state *s;
    const void *x;
    int64_t *y;
} job;

static void task(void *context, int index, int worker) {
    const job *j = context;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&j->s->pieces, index, &from, &to);
    for (size_t o = from; o < to; o++)
        j->s->row(j->s, j->x, o / j->s->inner * j->s->n * j->s->inner + o % j->s->inner,
                  j->y + o);
}

static void run(const hst__step *step, const hst__run *r) {
    const arg_state *s = step->state;
    job j = {s, hst__in(step, r, 0), hst__out(step, r, 0)};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

hst_status hst__arg_prepare(hst__op_ctx *c, hst__step *step, bool max) {
    static void (*const rows[HST__DTYPES])(const arg_state *, const void *, size_t,
                                           int64_t *) = {
        HST__TYPES_NUMBER(HST__TYPE_ENTRY, row_)};
    int axis;
    hst_status st = get_axis(c, &axis);
    arg_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[0];
    *s = (arg_state){.n = (size_t)x->dims[axis],
                     .inner = hst__desc_span(x, axis + 1, x->rank),
                     .max = max,
                     .last = hst__attr_int(c->node, "select_last_index", 0),
                     .row = rows[x->dtype]};
    if (!s->row)
        return hst__op_bad_type(c, 0, "integers, f32, f64");
    s->pieces =
        hst__pieces_cut(hst__desc_size(&c->out[0]), 2 + (double)s->n, 1, c->threads);
    step->state = s;
    step->run = run;
    return HST_OK;
}
