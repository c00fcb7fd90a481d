/* ScatterND: a copy of the data in which the slices that rows of the indices name are
 * replaced by, or combined with, updates; later ones count where rows name a slice twice.
 */
#include <string.h>

#include "ops/index.h"
#include "ops/scatter_common.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, INDICES, UPDATES };

static hst_status check(hst__op_ctx *c, int *depth) {
    hst_status st = hst__types_need(c, 3);
    if (!st)
        st = hst__types_equal(c, X, UPDATES);
    if (st)
        return st;
    const hst__desc *x = &c->in[X], *i = &c->in[INDICES], *u = &c->in[UPDATES];
    if (i->dtype != HST_DTYPE_S64)
        return hst__op_bad_type(c, INDICES, "s64");
    if (i->rank < 1 || i->dims[i->rank - 1] < 1 || i->dims[i->rank - 1] > x->rank)
        return hst__op_fail(c, HST_E_SHAPE, "index rows of %lld for data of rank %d",
                            i->rank ? (long long)i->dims[i->rank - 1] : 0, x->rank);
    *depth = (int)i->dims[i->rank - 1];
    bool fits = u->rank == i->rank - 1 + x->rank - *depth;
    for (int d = 0; fits && d < u->rank; d++)
        fits = u->dims[d] ==
               (d < i->rank - 1 ? i->dims[d] : x->dims[*depth + d - (i->rank - 1)]);
    return fits ? HST_OK
                : hst__op_fail(c, HST_E_SHAPE, "the updates do not fit data and indices");
}

static hst_status infer(hst__op_ctx *c) {
    int depth;
    hst_status st = check(c, &depth);
    return st ? st : hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, c->in[X].dims);
}

typedef struct scatter_state {
    int depth;
    size_t rows, slice;    /**< index rows; elements of a slice */
    size_t bytes;          /**< of all data */
    hst__combine *combine; /**< NULL: replace */
} scatter_state;

/** On one thread: rows may name the same slice, and their order counts. */
static void run(const hst__step *step, const hst__run *r) {
    const scatter_state *s = step->state;
    const int64_t *indices = hst__in(step, r, INDICES);
    const char *x = hst__in(step, r, X), *updates = hst__in(step, r, UPDATES);
    char *y = hst__out(step, r, 0);
    size_t bytes = s->slice * hst_dtype_size(step->in_desc[X].dtype);
    if (x != y && s->bytes)
        memcpy(y, x, s->bytes);
    for (size_t i = 0; bytes && i < s->rows; i++) {
        int64_t at = hst__index_slice(step->in_desc[X].dims, s->depth,
                                      indices + i * (size_t)s->depth);
        if (at < 0)
            hst__index_outside(step, r);
        else if (s->combine)
            s->combine(y + (size_t)at * bytes, updates + i * bytes, s->slice);
        else
            memcpy(y + (size_t)at * bytes, updates + i * bytes, bytes);
    }
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    int depth;
    hst_status st = check(c, &depth);
    scatter_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[X], *i = &c->in[INDICES];
    s->depth = depth;
    s->rows = hst__desc_span(i, 0, i->rank - 1);
    s->slice = hst__desc_span(x, depth, x->rank);
    s->bytes = hst__desc_size(x) * hst_dtype_size(x->dtype);
    st = hst__scatter_reduction(c, &s->combine);
    if (st)
        return st;
    if (!s->combine)
        step->unaligned = 1u << X | 1u << UPDATES;
    step->in_place = 1u << X;
    step->state = s;
    step->kernel = s->combine ? "reference" : "copy";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_ScatterND = {11, HST__OPSET_MAX, 3, 3, 1, 1, false, infer, prepare};
