/* GatherElements: y[.., i, ..] = x[.., index[.., i, ..], ..] along one axis. */
#include <string.h>

#include "ops/index.h"
#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, INDICES };

static hst_status check(hst__op_ctx *c, int *axis) {
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__op_axis(c, hst__attr_int(c->node, "axis", 0), c->in[X].rank, false,
                          axis);
    if (st)
        return st;
    const hst__desc *x = &c->in[X], *i = &c->in[INDICES];
    if (i->dtype != HST_DTYPE_S64 && i->dtype != HST_DTYPE_S32)
        return hst__op_bad_type(c, INDICES, "s64, s32");
    if (i->rank != x->rank)
        return hst__op_fail(c, HST_E_SHAPE, "data of rank %d and indices of rank %d",
                            x->rank, i->rank);
    for (int d = 0; d < x->rank; d++)
        if (d != *axis && i->dims[d] > x->dims[d])
            return hst__op_fail(c, HST_E_SHAPE,
                                "dimension %d has %lld indices for %lld elements", d,
                                (long long)i->dims[d], (long long)x->dims[d]);
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    int axis;
    hst_status st = check(c, &axis);
    return st ? st
              : hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, c->in[INDICES].dims);
}

typedef struct gather_state {
    int axis;
    size_t bytes; /**< of an element */
    int64_t strides[HST_MAX_RANK];
    hst__pieces pieces;
} gather_state;

/** Offset in x of element `at` of the output, the axis left out. */
static int64_t base_of(const hst__desc *y, const gather_state *s, size_t at) {
    int64_t base = 0;
    for (int d = y->rank - 1; d >= 0; d--) {
        size_t n = (size_t)y->dims[d];
        if (d != s->axis)
            base += (int64_t)(at % n) * s->strides[d];
        at /= n;
    }
    return base;
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const gather_state *s = j->step->state;
    const hst__desc *y = &j->step->out_desc[0];
    const char *x = hst__in(j->step, j->run, X);
    const void *indices = hst__in(j->step, j->run, INDICES);
    bool wide = j->step->in_desc[INDICES].dtype == HST_DTYPE_S64;
    int64_t size = j->step->in_desc[X].dims[s->axis];
    char *out = hst__out(j->step, j->run, 0);
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t i = from; i < to; i++) {
        int64_t v = hst__index_at(indices, wide, i, size);
        if (v < 0) {
            hst__index_outside(j->step, j->run);
            memset(out + i * s->bytes, 0, s->bytes);
            continue;
        }
        int64_t at = base_of(y, s, i) + v * s->strides[s->axis];
        memcpy(out + i * s->bytes, x + (size_t)at * s->bytes, s->bytes);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const gather_state *)step->state)->pieces.count, task,
                  &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    int axis;
    hst_status st = check(c, &axis);
    gather_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    s->axis = axis;
    s->bytes = hst_dtype_size(c->in[X].dtype);
    hst__desc_strides(&c->in[X], s->strides);
    s->pieces = hst__pieces_cut(hst__desc_size(&c->out[0]), 10, 1, c->threads);
    step->unaligned = 1u << X;
    step->state = s;
    step->kernel = "copy";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_GatherElements = {11, HST__OPSET_MAX, 2,     2,      1,
                                        1,  false,          infer, prepare};
