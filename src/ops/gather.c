/* Gather: rows of the input along an axis by index. */
#include <string.h>

#include "ops/index.h"
#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, INDICES };

static hst_status get_axis(hst__op_ctx *c, int *axis) {
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__op_axis(c, hst__attr_int(c->node, "axis", 0), c->in[X].rank, false,
                          axis);
    if (!st && c->in[INDICES].dtype != HST_DTYPE_S64 &&
        c->in[INDICES].dtype != HST_DTYPE_S32)
        st = hst__op_bad_type(c, INDICES, "s64, s32");
    return st;
}

static hst_status infer(hst__op_ctx *c) {
    int axis, rank = 0;
    int64_t dims[2 * HST_MAX_RANK];
    hst_status st = get_axis(c, &axis);
    if (st)
        return st;
    for (int i = 0; i < axis; i++)
        dims[rank++] = c->in[X].dims[i];
    for (int i = 0; i < c->in[INDICES].rank; i++)
        dims[rank++] = c->in[INDICES].dims[i];
    for (int i = axis + 1; i < c->in[X].rank; i++)
        dims[rank++] = c->in[X].dims[i];
    return hst__op_set_out(c, 0, c->in[X].dtype, rank, dims);
}

typedef struct gather_state {
    size_t count, bytes; /**< indices; bytes of one gathered row */
    int64_t size;        /**< of the axis */
    bool wide;           /**< indices are s64 */
    hst__pieces pieces;
} gather_state;

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const gather_state *s = j->step->state;
    const char *x = hst__in(j->step, j->run, X);
    const void *indices = hst__in(j->step, j->run, INDICES);
    char *y = hst__out(j->step, j->run, 0);
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t row = from; row < to; row++) {
        int64_t v = hst__index_at(indices, s->wide, row % s->count, s->size);
        size_t outer = row / s->count;
        if (v < 0) {
            hst__index_outside(j->step, j->run);
            memset(y + row * s->bytes, 0, s->bytes);
            continue;
        }
        memcpy(y + row * s->bytes, x + (outer * (size_t)s->size + (size_t)v) * s->bytes,
               s->bytes);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const gather_state *)step->state)->pieces.count, task,
                  &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    int axis;
    hst_status st = get_axis(c, &axis);
    gather_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[X];
    s->count = hst__desc_size(&c->in[INDICES]);
    s->size = x->dims[axis];
    s->bytes = hst__desc_span(x, axis + 1, x->rank) * hst_dtype_size(x->dtype);
    s->wide = c->in[INDICES].dtype == HST_DTYPE_S64;
    size_t rows = s->bytes ? hst__desc_span(x, 0, axis) * s->count : 0;
    s->pieces = hst__pieces_cut(rows, 3 + 0.05 * (double)s->bytes, 1, c->threads);
    step->unaligned = 1u << X;
    step->state = s;
    step->kernel = "copy";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_Gather = {7, HST__OPSET_MAX, 2, 2, 1, 1, false, infer, prepare};
