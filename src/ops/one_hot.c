/* OneHot: a new axis of `depth` positions, on-value where the index points, else
 * off-value. Indices count from the end when negative; others outside leave only
 * off-values. */
#include <math.h>
#include <string.h>

#include "ops/types.h"
#include "ops/unary.h"

enum { INDICES, DEPTH, VALUES };

static hst_status get_depth(hst__op_ctx *c, int64_t *depth) {
    float number = 0;
    int n;
    hst_status st = hst__types_need(c, 3);
    if (!st)
        st = hst__op_floats(c, DEPTH, &number, 1, &n);
    if (!st && (n != 1 || !(number >= 0 && number < 1e9f)))
        st = hst__op_fail(c, HST_E_SHAPE, "a depth of %g", (double)number);
    *depth = (int64_t)number;
    return st;
}

static hst_status get_axis(hst__op_ctx *c, int *axis) {
    return hst__op_axis(c, hst__attr_int(c->node, "axis", -1), c->in[INDICES].rank + 1,
                        false, axis);
}

static hst_status infer(hst__op_ctx *c) {
    int axis, k = 0;
    int64_t depth, dims[HST_MAX_RANK + 1];
    hst_status st = get_depth(c, &depth);
    if (!st)
        st = get_axis(c, &axis);
    if (!st && hst__desc_size(&c->in[VALUES]) != 2)
        st = hst__op_fail(c, HST_E_SHAPE, "two values are needed");
    if (st)
        return st;
    for (int i = 0; i <= c->in[INDICES].rank; i++)
        dims[i] = i == axis ? depth : c->in[INDICES].dims[k++];
    return hst__op_set_out(c, 0, c->in[VALUES].dtype, c->in[INDICES].rank + 1, dims);
}

typedef struct one_hot_state {
    size_t outer, inner;
    int64_t depth;
} one_hot_state;

static double index_at(const void *p, hst_dtype t, size_t i) {
    switch (t) {
#define INDEX_CASE(arg, suffix, dtype, ctype)                                            \
    case dtype:                                                                          \
        return (double)((const ctype *)p)[i];
        HST__TYPES_NUMBER(INDEX_CASE, )
#undef INDEX_CASE
    default:
        return -1;
    }
}

static void run(const hst__step *step, const hst__run *r) {
    const one_hot_state *s = step->state;
    const char *values = hst__in(step, r, VALUES);
    const void *indices = hst__in(step, r, INDICES);
    hst_dtype t = step->in_desc[INDICES].dtype;
    size_t size = hst_dtype_size(step->out_desc[0].dtype), depth = (size_t)s->depth;
    char *y = hst__out(step, r, 0);
    for (size_t i = 0; i < s->outer * depth * s->inner; i++)
        memcpy(y + i * size, values, size);
    for (size_t o = 0; o < s->outer; o++)
        for (size_t i = 0; i < s->inner; i++) {
            double v = trunc(index_at(indices, t, o * s->inner + i));
            v = v < 0 ? v + (double)depth : v;
            if (v >= 0 && v < (double)depth)
                memcpy(y + ((o * depth + (size_t)v) * s->inner + i) * size, values + size,
                       size);
        }
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    one_hot_state *s = hst__op_state(c, sizeof *s);
    int axis;
    hst_status st = s ? get_axis(c, &axis) : hst__op_nomem(c, sizeof *s);
    if (!st)
        st = get_depth(c, &s->depth);
    if (st)
        return st;
    s->outer = hst__desc_span(&c->in[INDICES], 0, axis);
    s->inner = hst__desc_span(&c->in[INDICES], axis, c->in[INDICES].rank);
    step->state = s;
    step->consumed = 1u << DEPTH;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_OneHot = {9, HST__OPSET_MAX, 3, 3, 1, 1, false, infer, prepare};
