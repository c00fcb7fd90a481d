#include "ops/binary.h"

#include "kernels/pointwise.h"

typedef struct binary_state {
    hst__binary_row *row;
    size_t a_size, b_size, y_size; /**< bytes of an element */
    hst__bcast walk;
    hst__pieces pieces;
} binary_state;

typedef struct binary_job {
    const binary_state *st;
    const char *a, *b;
    char *y;
} binary_job;

static void binary_task(void *context, int index, int worker) {
    const binary_job *j = context;
    const binary_state *st = j->st;
    const hst__bcast *w = &st->walk;
    hst__bcast_at at;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&st->pieces, index, &from, &to);
    hst__bcast_seek(w, from / w->row, &at);
    for (size_t skip = from % w->row; from < to; skip = 0, hst__bcast_next(w, &at)) {
        size_t n = w->row - skip < to - from ? w->row - skip : to - from;
        st->row(j->y + from * st->y_size,
                j->a + (at.offset[0] + skip * w->inner[0]) * st->a_size,
                j->b + (at.offset[1] + skip * w->inner[1]) * st->b_size, n, w->inner[0],
                w->inner[1]);
        from += n;
    }
}

static void binary_run(const hst__step *s, const hst__run *r) {
    const binary_state *st = s->state;
    binary_job job = {
        .st = st, .a = hst__in(s, r, 0), .b = hst__in(s, r, 1), .y = hst__out(s, r, 0)};
    hst__pool_run(r->threads, st->pieces.count, binary_task, &job);
}

hst_status hst__binary_infer_as(hst__op_ctx *c, hst_dtype out) {
    hst__desc shape;
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__op_broadcast(c, &c->in[0], &c->in[1], &shape);
    return st ? st : hst__op_set_out(c, 0, out, shape.rank, shape.dims);
}

hst_status hst__binary_infer(hst__op_ctx *c) {
    hst_status st = hst__types_equal(c, 0, 1);
    return st ? st : hst__binary_infer_as(c, c->in[0].dtype);
}

hst_status hst__compare_infer(hst__op_ctx *c) {
    hst_status st = hst__types_equal(c, 0, 1);
    return st ? st : hst__binary_infer_as(c, HST_DTYPE_BOOL);
}

hst_status hst__binary_prepare(hst__op_ctx *c, hst__step *s, hst__binary_row *row,
                               double ns) {
    size_t count = hst__desc_size(&c->out[0]);
    binary_state *st = hst__op_state(c, sizeof *st);
    if (!st)
        return hst__op_nomem(c, sizeof *st);
    st->row = row;
    st->a_size = hst_dtype_size(c->in[0].dtype);
    st->b_size = hst_dtype_size(c->in[1].dtype);
    st->y_size = hst_dtype_size(c->out[0].dtype);
    hst__bcast_init(&st->walk, &c->out[0], c->in, 2);
    st->pieces = hst__pieces_cut(count, ns, 64, c->threads);
    s->ns = ns * (double)count;
    s->state = st;
    s->run = binary_run;
    for (int i = 0; i < 2; i++)
        if (hst__desc_size(&c->in[i]) == count &&
            hst_dtype_size(c->in[i].dtype) == st->y_size)
            s->in_place |= 1u << i;
    return HST_OK;
}

/** The vector form of an f32 operator; NULL where there is none. */
static hst__binary_row *vector_row(const hst__op_ctx *c) {
    const hst__pointwise_f32 *p = hst__pointwise_pick(c->cpu);
    if (!p || c->in[0].dtype != HST_DTYPE_F32)
        return NULL;
    switch (c->node->op) {
    case HST__OP_Add:
        return p->add;
    case HST__OP_Sub:
        return p->sub;
    case HST__OP_Mul:
        return p->mul;
    case HST__OP_Div:
        return p->div;
    default:
        return NULL;
    }
}

hst_status hst__binary_prepare_table(hst__op_ctx *c, hst__step *s,
                                     hst__binary_row *const rows[HST__DTYPES],
                                     double ns) {
    uint32_t supported = 0;
    for (int d = 0; d < HST__DTYPES; d++)
        supported |= rows[d] ? 1u << d : 0;
    if (!rows[c->in[0].dtype])
        return hst__types_refuse(c, 0, supported);
    hst__binary_row *vector = vector_row(c);
    if (vector)
        s->kernel = hst__pointwise_pick(c->cpu)->name;
    return hst__binary_prepare(c, s, vector ? vector : rows[c->in[0].dtype], ns);
}
