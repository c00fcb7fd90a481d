#include "ops/broadcast.h"
#include "ops/unary.h"

/* Moves elements by their size, so it takes every type. */
typedef void where_row(void *y, const uint8_t *c, const void *a, const void *b, size_t n,
                       const size_t step[3]);

#define WHERE_ROW(bits)                                                                  \
    static void where_##bits(void *y, const uint8_t *c, const void *a, const void *b,    \
                             size_t n, const size_t step[3]) {                           \
        const uint##bits##_t *pa = a, *pb = b;                                           \
        uint##bits##_t *o = y;                                                           \
        for (size_t i = 0; i < n; i++)                                                   \
            o[i] = c[i * step[0]] ? pa[i * step[1]] : pb[i * step[2]];                   \
    }
WHERE_ROW(8)
WHERE_ROW(16)
WHERE_ROW(32)
WHERE_ROW(64)

typedef struct where_state {
    where_row *row;
    size_t size;
    hst__bcast walk;
    hst__pieces pieces;
} where_state;

typedef struct where_job {
    const where_state *st;
    const char *c, *a, *b;
    char *y;
} where_job;

static void where_task(void *context, int index, int worker) {
    const where_job *j = context;
    const where_state *st = j->st;
    const hst__bcast *w = &st->walk;
    hst__bcast_at at;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&st->pieces, index, &from, &to);
    hst__bcast_seek(w, from / w->row, &at);
    for (size_t skip = from % w->row; from < to; skip = 0, hst__bcast_next(w, &at)) {
        size_t n = w->row - skip < to - from ? w->row - skip : to - from;
        st->row(j->y + from * st->size,
                (const uint8_t *)j->c + at.offset[0] + skip * w->inner[0],
                j->a + (at.offset[1] + skip * w->inner[1]) * st->size,
                j->b + (at.offset[2] + skip * w->inner[2]) * st->size, n, w->inner);
        from += n;
    }
}

static void where_run(const hst__step *s, const hst__run *r) {
    const where_state *st = s->state;
    where_job job = {.st = st,
                     .c = hst__in(s, r, 0),
                     .a = hst__in(s, r, 1),
                     .b = hst__in(s, r, 2),
                     .y = hst__out(s, r, 0)};
    hst__pool_run(r->threads, st->pieces.count, where_task, &job);
}

static hst_status infer(hst__op_ctx *c) {
    hst__desc shape;
    hst_status st = hst__types_equal(c, 1, 2);
    if (!st && c->in[0].dtype != HST_DTYPE_BOOL)
        st = hst__op_bad_type(c, 0, "bool");
    if (!st)
        st = hst__op_broadcast(c, &c->in[1], &c->in[2], &shape);
    if (!st)
        st = hst__op_broadcast(c, &c->in[0], &shape, &shape);
    return st ? st : hst__op_set_out(c, 0, c->in[1].dtype, shape.rank, shape.dims);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static where_row *const rows[9] = {
        [1] = where_8, [2] = where_16, [4] = where_32, [8] = where_64};
    size_t count = hst__desc_size(&c->out[0]);
    where_state *st = hst__op_state(c, sizeof *st);
    if (!st)
        return hst__op_nomem(c, sizeof *st);
    st->size = hst_dtype_size(c->in[1].dtype);
    st->row = rows[st->size];
    hst__bcast_init(&st->walk, &c->out[0], c->in, 3);
    st->pieces = hst__pieces_cut(count, 2 * HST__NS_CHEAP, 64, c->threads);
    s->state = st;
    s->run = where_run;
    for (int i = 0; i < 3; i++)
        if (hst__desc_size(&c->in[i]) == count &&
            hst_dtype_size(c->in[i].dtype) == st->size)
            s->in_place |= 1u << i;
    return HST_OK;
}

const hst__op hst__op_Where = {9, HST__OPSET_MAX, 3, 3, 1, 1, false, infer, prepare};
