/* Split: sizes as attribute (before opset 13) or input, else equal parts, the last
 * smaller where num_outputs (opset 18) does not divide. */
#include <string.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

static hst_status equal_parts(hst__op_ctx *c, int64_t size, int64_t *parts) {
    int64_t n = hst__attr_int(c->node, "num_outputs", c->n_out);
    if (n != c->n_out || n < 1)
        return hst__op_fail(c, HST_E_SHAPE, "num_outputs is %lld for %d outputs",
                            (long long)n, c->n_out);
    int64_t part = (size + n - 1) / n;
    if (size % n != 0 && c->node->opset < 18)
        return hst__op_fail(c, HST_E_SHAPE,
                            "%lld elements cannot be cut in %lld equal parts",
                            (long long)size, (long long)n);
    for (int64_t i = 0, left = size; i < n; i++, left -= parts[i - 1])
        parts[i] = left < part ? left : part;
    return HST_OK;
}

static hst_status get_parts(hst__op_ctx *c, int *axis, int64_t *parts) {
    size_t n;
    int count = c->n_out;
    const int64_t *attr = hst__attr_ints(c->node, "split", &n);
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = hst__op_axis(c, hst__attr_int(c->node, "axis", 0), c->in[0].rank, false,
                          axis);
    if (st)
        return st;
    int64_t size = c->in[0].dims[*axis], sum = 0;
    if (hst__op_has(c, 1))
        st = hst__op_ints(c, 1, parts, HST__OP_MAX_OUT, &count);
    else if (attr && n == (size_t)c->n_out)
        memcpy(parts, attr, n * sizeof *parts);
    else if (attr)
        count = -1;
    else
        st = equal_parts(c, size, parts);
    if (st)
        return st;
    for (int i = 0; i < count; i++) {
        if (parts[i] < 0 || parts[i] > size)
            return hst__op_fail(c, HST_E_SHAPE, "part %d would have %lld elements", i,
                                (long long)parts[i]);
        sum += parts[i];
    }
    return count != c->n_out || sum != size
               ? hst__op_fail(c, HST_E_SHAPE,
                              "the parts do not make up %lld elements in %d "
                              "outputs",
                              (long long)size, c->n_out)
               : HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    int axis;
    int64_t parts[HST__OP_MAX_OUT];
    hst_status st = get_parts(c, &axis, parts);
    hst__desc d = c->in[0];
    for (int i = 0; !st && i < c->n_out; i++) {
        d.dims[axis] = parts[i];
        st = hst__op_set_out(c, i, d.dtype, d.rank, d.dims);
    }
    return st;
}

typedef struct split_state {
    size_t outer, row;
    size_t *bytes;
    hst__pieces pieces;
} split_state;

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const split_state *s = j->step->state;
    const char *x = hst__in(j->step, j->run, 0);
    size_t from, to, at = 0;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (int i = 0; i < j->step->n_out; i++) {
        char *y = hst__out(j->step, j->run, i);
        for (size_t o = from; y && s->bytes[i] && o < to; o++)
            memcpy(y + o * s->bytes[i], x + o * s->row + at, s->bytes[i]);
        at += s->bytes[i];
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const split_state *)step->state)->pieces.count, task, &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    int axis;
    int64_t parts[HST__OP_MAX_OUT];
    hst_status st = get_parts(c, &axis, parts);
    if (st)
        return st;
    split_state *s = hst__op_state(c, sizeof *s);
    size_t *bytes = hst__arena_array(c->arena, (size_t)c->n_out, sizeof *bytes);
    if (!s || !bytes)
        return hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[0];
    size_t inner = hst__desc_span(x, axis + 1, x->rank) * hst_dtype_size(x->dtype);
    s->bytes = bytes;
    s->outer = hst__desc_span(x, 0, axis);
    for (int i = 0; i < c->n_out; i++) {
        bytes[i] = (size_t)parts[i] * inner;
        s->row += bytes[i];
    }
    s->pieces =
        hst__pieces_cut(s->outer, 0.05 * (double)s->row + 5 * c->n_out, 1, c->threads);
    step->unaligned = 1;
    step->state = s;
    step->kernel = "copy";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_Split = {7,     HST__OPSET_MAX, 1,      2, 1, HST__OP_VARIADIC,
                               false, infer,          prepare};
