/* GatherND: each row of the indices, k numbers, names a slice of the data. */
#include <string.h>

#include "ops/index.h"
#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, INDICES };

static hst_status check(hst__op_ctx *c, int *batch, int *depth) {
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    const hst__desc *x = &c->in[X], *i = &c->in[INDICES];
    int64_t b = hst__attr_int(c->node, "batch_dims", 0);
    if (i->dtype != HST_DTYPE_S64)
        return hst__op_bad_type(c, INDICES, "s64");
    if (b < 0 || i->rank < 1 || b >= i->rank || b >= x->rank ||
        i->dims[i->rank - 1] < 1 || i->dims[i->rank - 1] > x->rank - b)
        return hst__op_fail(
            c, HST_E_SHAPE,
            "indices of rank %d with rows of %lld do not fit data of rank "
            "%d with %lld batch dimensions",
            i->rank, i->rank ? (long long)i->dims[i->rank - 1] : 0, x->rank,
            (long long)b);
    for (int d = 0; d < b; d++)
        if (x->dims[d] != i->dims[d])
            return hst__op_fail(c, HST_E_SHAPE, "batch dimension %d is %lld and %lld", d,
                                (long long)x->dims[d], (long long)i->dims[d]);
    *batch = (int)b;
    *depth = (int)i->dims[i->rank - 1];
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    int batch, depth, rank = 0;
    int64_t dims[2 * HST_MAX_RANK];
    hst_status st = check(c, &batch, &depth);
    if (st)
        return st;
    for (int i = 0; i + 1 < c->in[INDICES].rank; i++)
        dims[rank++] = c->in[INDICES].dims[i];
    for (int i = batch + depth; i < c->in[X].rank; i++)
        dims[rank++] = c->in[X].dims[i];
    return hst__op_set_out(c, 0, c->in[X].dtype, rank, dims);
}

typedef struct gather_state {
    int batch, depth;
    size_t rows;  /**< index rows in one batch */
    size_t bytes; /**< of a slice */
    size_t batch_slices;
    hst__pieces pieces;
} gather_state;

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const gather_state *s = j->step->state;
    const char *x = hst__in(j->step, j->run, X);
    const int64_t *indices = hst__in(j->step, j->run, INDICES);
    char *y = hst__out(j->step, j->run, 0);
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t i = from; i < to; i++) {
        int64_t at = hst__index_slice(j->step->in_desc[X].dims + s->batch, s->depth,
                                      indices + i * (size_t)s->depth);
        size_t base = i / s->rows * s->batch_slices;
        if (at < 0) {
            hst__index_outside(j->step, j->run);
            memset(y + i * s->bytes, 0, s->bytes);
            continue;
        }
        memcpy(y + i * s->bytes, x + (base + (size_t)at) * s->bytes, s->bytes);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const gather_state *)step->state)->pieces.count, task,
                  &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    int batch, depth;
    hst_status st = check(c, &batch, &depth);
    gather_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[X], *i = &c->in[INDICES];
    s->batch = batch;
    s->depth = depth;
    s->bytes = hst__desc_span(x, batch + depth, x->rank) * hst_dtype_size(x->dtype);
    s->rows = hst__desc_span(i, batch, i->rank - 1);
    s->batch_slices = hst__desc_span(x, batch, batch + depth);
    size_t rows = s->bytes ? hst__desc_span(i, 0, i->rank - 1) : 0;
    s->pieces = hst__pieces_cut(rows, 5 + 0.05 * (double)s->bytes, 1, c->threads);
    step->unaligned = 1u << X;
    step->state = s;
    step->kernel = "copy";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_GatherND = {11, HST__OPSET_MAX, 2, 2, 1, 1, false, infer, prepare};
