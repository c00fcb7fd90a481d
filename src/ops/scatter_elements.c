/* ScatterElements: a copy of the data in which y[.., index[.., i, ..], ..] is replaced
 * by, or combined with, u[.., i, ..] along one axis; later ones count where indices
 * repeat. */
#include <string.h>

#include "ops/index.h"
#include "ops/scatter_common.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, INDICES, UPDATES };

static hst_status check(hst__op_ctx *c, int *axis) {
    hst_status st = hst__types_need(c, 3);
    if (!st)
        st = hst__types_equal(c, X, UPDATES);
    if (!st)
        st = hst__op_axis(c, hst__attr_int(c->node, "axis", 0), c->in[X].rank, false,
                          axis);
    if (st)
        return st;
    const hst__desc *x = &c->in[X], *i = &c->in[INDICES];
    if (i->dtype != HST_DTYPE_S64 && i->dtype != HST_DTYPE_S32)
        return hst__op_bad_type(c, INDICES, "s64, s32");
    if (!hst__desc_equal_shape(i, &c->in[UPDATES]))
        return hst__op_fail(c, HST_E_SHAPE, "indices and updates differ in shape");
    bool fits = i->rank == x->rank;
    for (int d = 0; fits && d < x->rank; d++)
        fits = d == *axis || i->dims[d] <= x->dims[d];
    return fits ? HST_OK
                : hst__op_fail(c, HST_E_SHAPE, "the indices do not fit the data");
}

static hst_status infer(hst__op_ctx *c) {
    int axis;
    hst_status st = check(c, &axis);
    return st ? st : hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, c->in[X].dims);
}

typedef struct scatter_state {
    int axis;
    size_t bytes;          /**< of an element */
    hst__combine *combine; /**< NULL: replace */
    int64_t strides[HST_MAX_RANK];
} scatter_state;

/** On one thread: indices may repeat, and the order of the updates counts. */
static void run(const hst__step *step, const hst__run *r) {
    const scatter_state *s = step->state;
    const hst__desc *x = &step->in_desc[X], *u = &step->in_desc[UPDATES];
    const void *indices = hst__in(step, r, INDICES);
    const char *data = hst__in(step, r, X), *updates = hst__in(step, r, UPDATES);
    bool wide = step->in_desc[INDICES].dtype == HST_DTYPE_S64;
    char *y = hst__out(step, r, 0);
    int64_t at[HST_MAX_RANK] = {0};
    if (data != y && hst__desc_size(x))
        memcpy(y, data, hst__desc_size(x) * s->bytes);
    for (size_t i = 0, n = hst__desc_size(u); i < n; i++, updates += s->bytes) {
        int64_t v = hst__index_at(indices, wide, i, x->dims[s->axis]), to = 0;
        for (int d = 0; d < u->rank; d++)
            to += (d == s->axis ? v : at[d]) * s->strides[d];
        if (v < 0)
            hst__index_outside(step, r);
        else if (s->combine)
            s->combine(y + (size_t)to * s->bytes, updates, 1);
        else
            memcpy(y + (size_t)to * s->bytes, updates, s->bytes);
        for (int d = u->rank - 1; d >= 0 && ++at[d] == u->dims[d]; d--)
            at[d] = 0;
    }
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    int axis;
    hst_status st = check(c, &axis);
    scatter_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    s->axis = axis;
    s->bytes = hst_dtype_size(c->in[X].dtype);
    hst__desc_strides(&c->in[X], s->strides);
    st = hst__scatter_reduction(c, &s->combine);
    if (st)
        return st;
    if (!s->combine)
        step->unaligned = 1u << X | 1u << UPDATES;
    step->ns = 10 * (double)hst__desc_size(&c->in[UPDATES]);
    step->in_place = 1u << X;
    step->state = s;
    step->kernel = s->combine ? "reference" : "copy";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_ScatterElements = {11, HST__OPSET_MAX, 3,     3,      1,
                                         1,  false,          infer, prepare};
