/* Concat: blocks of each input, one after another, for every position before the axis. */
#include <string.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

static hst_status get_axis(hst__op_ctx *c, int *axis) {
    if (!hst__attr_get(c->node, "axis"))
        return hst__op_fail(c, HST_E_FORMAT, "the axis is missing");
    return hst__op_axis(c, hst__attr_int(c->node, "axis", 0), c->in[0].rank, false, axis);
}

static hst_status infer(hst__op_ctx *c) {
    int axis;
    hst_status st = hst__types_need(c, c->n_in);
    if (!st)
        st = get_axis(c, &axis);
    if (st)
        return st;
    hst__desc out = c->in[0];
    for (int i = 1; i < c->n_in; i++) {
        const hst__desc *d = &c->in[i];
        bool fits = d->rank == out.rank && d->dtype == out.dtype;
        for (int k = 0; fits && k < out.rank; k++)
            fits = k == axis || d->dims[k] == out.dims[k];
        if (!fits) {
            char a[HST__DESC_TEXT], b[HST__DESC_TEXT];
            return hst__op_fail(c, HST_E_SHAPE,
                                "%s and %s cannot be joined along axis %d",
                                hst__desc_format(&c->in[0], a, sizeof a),
                                hst__desc_format(d, b, sizeof b), axis);
        }
        if (__builtin_add_overflow(out.dims[axis], d->dims[axis], &out.dims[axis]))
            return hst__op_fail(c, HST_E_LIMIT, "the output would be too large");
    }
    return hst__op_set_out(c, 0, out.dtype, out.rank, out.dims);
}

typedef struct concat_state {
    size_t outer, row; /**< row: bytes of the output for one outer position */
    size_t *bytes;     /**< of each input for one outer position */
    hst__pieces pieces;
} concat_state;

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const concat_state *s = j->step->state;
    char *y = hst__out(j->step, j->run, 0);
    size_t from, to, at = 0;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (int i = 0; i < j->step->n_in; i++) {
        const char *x = hst__in(j->step, j->run, i);
        for (size_t o = from; s->bytes[i] && o < to; o++)
            memcpy(y + o * s->row + at, x + o * s->bytes[i], s->bytes[i]);
        at += s->bytes[i];
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const concat_state *)step->state)->pieces.count, task,
                  &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    int axis;
    hst_status st = get_axis(c, &axis);
    if (st)
        return st;
    if (c->n_in == 1) {
        step->alias = 1;
        return HST_OK;
    }
    concat_state *s = hst__op_state(c, sizeof *s);
    size_t *bytes = hst__arena_array(c->arena, (size_t)c->n_in, sizeof *bytes);
    if (!s || !bytes)
        return hst__op_nomem(c, sizeof *s);
    size_t element = hst_dtype_size(c->out[0].dtype);
    s->bytes = bytes;
    s->outer = hst__desc_span(&c->out[0], 0, axis);
    for (int i = 0; i < c->n_in; i++) {
        bytes[i] = hst__desc_span(&c->in[i], axis, c->in[i].rank) * element;
        s->row += bytes[i];
    }
    s->pieces =
        hst__pieces_cut(s->outer, 0.05 * (double)s->row + 5 * c->n_in, 1, c->threads);
    step->unaligned = UINT64_MAX;
    step->state = s;
    step->kernel = "copy";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_Concat = {7, HST__OPSET_MAX, 1,     HST__OP_VARIADIC, 1,
                                1, false,          infer, prepare};
