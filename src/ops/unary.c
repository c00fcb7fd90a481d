#include "ops/unary.h"

#include "kernels/pointwise.h"

#include "ops/pieces.h"

typedef struct unary_state {
    hst__unary_row *row;
    const void *param;
    size_t in_size, out_size; /**< bytes of an element */
    hst__pieces pieces;
} unary_state;

typedef struct unary_job {
    const unary_state *st;
    const char *x;
    char *y;
} unary_job;

static void unary_task(void *context, int index, int worker) {
    const unary_job *j = context;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&j->st->pieces, index, &from, &to);
    j->st->row(j->y + from * j->st->out_size, j->x + from * j->st->in_size, to - from,
               j->st->param);
}

static void unary_run(const hst__step *s, const hst__run *r) {
    const unary_state *st = s->state;
    unary_job job = {.st = st, .x = hst__in(s, r, 0), .y = hst__out(s, r, 0)};
    hst__pool_run(r->threads, st->pieces.count, unary_task, &job);
}

hst_status hst__unary_infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 1);
    if (st)
        return st;
    return hst__op_set_out(c, 0, c->in[0].dtype, c->in[0].rank, c->in[0].dims);
}

hst_status hst__unary_prepare(hst__op_ctx *c, hst__step *s, const hst__unary *how) {
    unary_state *st = hst__op_state(c, sizeof *st);
    if (!st)
        return hst__op_nomem(c, sizeof *st);
    *st = (unary_state){.row = how->row,
                        .param = how->param,
                        .in_size = hst_dtype_size(c->in[0].dtype),
                        .out_size = hst_dtype_size(c->out[0].dtype)};
    /* Pieces start at multiples of 64, so the vectors of a kernel fall on the same
     * elements however the work is cut. */
    st->pieces = hst__pieces_cut(hst__desc_size(&c->out[0]), how->ns, 64, c->threads);
    s->ns = how->ns * (double)hst__desc_size(&c->out[0]);
    s->state = st;
    s->run = unary_run;
    s->in_place = st->in_size == st->out_size;
    if (how->kernel)
        s->kernel = how->kernel;
    return HST_OK;
}

/** The vector form of an f32 operator; NULL where there is none. */
static hst__unary_row *vector_row(const hst__op_ctx *c) {
    const hst__pointwise_f32 *p = hst__pointwise_pick(c->cpu);
    if (!p || c->in[0].dtype != HST_DTYPE_F32)
        return NULL;
    switch (c->node->op) {
    case HST__OP_Sqrt:
        return p->sqrt;
    case HST__OP_Abs:
        return p->abs;
    case HST__OP_Neg:
        return p->neg;
    case HST__OP_Reciprocal:
        return p->reciprocal;
    case HST__OP_Floor:
        return p->floor;
    case HST__OP_Ceil:
        return p->ceil;
    default:
        return NULL;
    }
}

hst_status hst__unary_prepare_table(hst__op_ctx *c, hst__step *s,
                                    hst__unary_row *const rows[HST__DTYPES], double ns,
                                    const void *param) {
    uint32_t supported = 0;
    for (int d = 0; d < HST__DTYPES; d++)
        supported |= rows[d] ? 1u << d : 0;
    hst__unary how = {.row = rows[c->in[0].dtype], .param = param, .ns = ns};
    if (!how.row)
        return hst__types_refuse(c, 0, supported);
    hst__unary_row *vector = vector_row(c);
    if (vector)
        how = (hst__unary){.row = vector,
                           .ns = HST__NS_CHEAP,
                           .kernel = hst__pointwise_pick(c->cpu)->name};
    return hst__unary_prepare(c, s, &how);
}
