#include "ops/variadic.h"

#include <string.h>

typedef struct variadic_state {
    hst__binary_row *row;
    hst__unary_row *last;
    const void *param;
    size_t size;
    hst__bcast *walk; /**< [n_in]: operand 0 is the output so far, 1 the input; the first
                           walk has inputs 0 and 1 */
    hst__pieces pieces;
} variadic_state;

typedef struct variadic_job {
    const variadic_state *st;
    const hst__step *s;
    const hst__run *r;
} variadic_job;

/** y[from..to-1] = row(a, b), both walked by w. */
static void combine(const variadic_state *st, const hst__bcast *w, char *y, const char *a,
                    const char *b, size_t from, size_t to) {
    hst__bcast_at at;
    hst__bcast_seek(w, from / w->row, &at);
    for (size_t skip = from % w->row; from < to; skip = 0, hst__bcast_next(w, &at)) {
        size_t n = w->row - skip < to - from ? w->row - skip : to - from;
        st->row(y + from * st->size, a + (at.offset[0] + skip * w->inner[0]) * st->size,
                b + (at.offset[1] + skip * w->inner[1]) * st->size, n, w->inner[0],
                w->inner[1]);
        from += n;
    }
}

static void variadic_task(void *context, int index, int worker) {
    const variadic_job *j = context;
    const variadic_state *st = j->st;
    char *y = hst__out(j->s, j->r, 0);
    const char *first = hst__in(j->s, j->r, 0);
    size_t from, to;
    (void)worker;
    hst__pieces_get(&st->pieces, index, &from, &to);
    if (j->s->n_in == 1 && y != first)
        memcpy(y + from * st->size, first + from * st->size, (to - from) * st->size);
    for (int i = 1; i < j->s->n_in; i++)
        combine(st, &st->walk[i], y, i == 1 ? first : y, hst__in(j->s, j->r, i), from,
                to);
    if (st->last)
        st->last(y + from * st->size, y + from * st->size, to - from, st->param);
}

static void variadic_run(const hst__step *s, const hst__run *r) {
    const variadic_state *st = s->state;
    variadic_job job = {.st = st, .s = s, .r = r};
    hst__pool_run(r->threads, st->pieces.count, variadic_task, &job);
}

hst_status hst__variadic_infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, c->n_in);
    hst__desc shape = c->in[0];
    for (int i = 1; !st && i < c->n_in; i++) {
        st = hst__types_equal(c, 0, i);
        if (!st)
            st = hst__op_broadcast(c, &shape, &c->in[i], &shape);
    }
    return st ? st : hst__op_set_out(c, 0, c->in[0].dtype, shape.rank, shape.dims);
}

hst_status hst__variadic_prepare(hst__op_ctx *c, hst__step *s,
                                 hst__binary_row *const rows[HST__DTYPES],
                                 hst__unary_row *last, const void *param) {
    uint32_t supported = 0;
    for (int d = 0; d < HST__DTYPES; d++)
        supported |= rows[d] ? 1u << d : 0;
    if (!rows[c->in[0].dtype])
        return hst__types_refuse(c, 0, supported);
    if (c->n_in == 1) {
        s->alias = 1;
        return HST_OK;
    }
    if (c->n_in == 2 && !last)
        return hst__binary_prepare(c, s, rows[c->in[0].dtype], HST__NS_CHEAP);
    size_t bytes = (size_t)c->n_in * sizeof(hst__bcast);
    size_t count = hst__desc_size(&c->out[0]);
    variadic_state *st = hst__op_state(c, sizeof *st);
    hst__bcast *walk = hst__op_state(c, bytes);
    if (!st || !walk)
        return hst__op_nomem(c, bytes);
    for (int i = 1; i < c->n_in; i++) {
        hst__desc pair[2] = {i == 1 ? c->in[0] : c->out[0], c->in[i]};
        hst__bcast_init(&walk[i], &c->out[0], pair, 2);
    }
    *st = (variadic_state){.row = rows[c->in[0].dtype],
                           .last = last,
                           .param = param,
                           .size = hst_dtype_size(c->in[0].dtype),
                           .walk = walk};
    st->pieces = hst__pieces_cut(count, HST__NS_CHEAP * c->n_in, 64, c->threads);
    s->state = st;
    s->run = variadic_run;
    /* Only the first pair is read before the output is written. */
    for (int i = 0; i < (c->n_in == 2 ? 2 : 1); i++)
        if (hst__desc_size(&c->in[i]) == count)
            s->in_place |= 1u << i;
    return HST_OK;
}
