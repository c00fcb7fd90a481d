/* Slice: starts, ends, axes, steps as attributes (before opset 10) or inputs. */
#include <string.h>

#include "ops/box.h"
#include "ops/unary.h"

enum { X, STARTS, ENDS, AXES, STEPS };

typedef struct cut {
    int64_t start, count, step; /**< step: 1 where none is taken */
} cut;

typedef struct lists {
    int64_t starts[HST_MAX_RANK], ends[HST_MAX_RANK], axes[HST_MAX_RANK],
        steps[HST_MAX_RANK];
    int n;
} lists;

static hst_status from_attributes(hst__op_ctx *c, lists *l) {
    size_t n, ends, axes;
    const int64_t *s = hst__attr_ints(c->node, "starts", &n);
    const int64_t *e = hst__attr_ints(c->node, "ends", &ends);
    const int64_t *a = hst__attr_ints(c->node, "axes", &axes);
    if (!s || !e || ends != n || (a && axes != n) || n > HST_MAX_RANK)
        return hst__op_fail(c, HST_E_FORMAT, "starts, ends and axes do not fit together");
    for (size_t i = 0; i < n; i++) {
        l->starts[i] = s[i];
        l->ends[i] = e[i];
        l->axes[i] = a ? a[i] : (int64_t)i;
        l->steps[i] = 1;
    }
    l->n = (int)n;
    return HST_OK;
}

static hst_status from_inputs(hst__op_ctx *c, lists *l) {
    int ends = 0, axes, steps;
    hst_status st = hst__op_ints(c, STARTS, l->starts, HST_MAX_RANK, &l->n);
    if (st) /* how many there are is not known then */
        return st;
    st = hst__op_ints(c, ENDS, l->ends, HST_MAX_RANK, &ends);
    axes = steps = l->n;
    for (int i = 0; i < l->n; i++) {
        l->axes[i] = i;
        l->steps[i] = 1;
    }
    if (!st && hst__op_has(c, AXES))
        st = hst__op_ints(c, AXES, l->axes, HST_MAX_RANK, &axes);
    if (!st && hst__op_has(c, STEPS))
        st = hst__op_ints(c, STEPS, l->steps, HST_MAX_RANK, &steps);
    if (!st && (ends != l->n || axes != l->n || steps != l->n))
        st = hst__op_fail(c, HST_E_SHAPE, "%d starts, %d ends, %d axes, %d steps", l->n,
                          ends, axes, steps);
    return st;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high) {
    return v < low ? low : v > high ? high : v;
}

/** As Python slices: negative positions count from the end, all are clamped. */
static cut cut_of(int64_t size, int64_t start, int64_t end, int64_t step) {
    start = start < 0 ? start + size : start;
    end = end < 0 ? (end < -size ? -1 : end + size) : end;
    if (step > 0) {
        start = clamp(start, 0, size);
        end = clamp(end, 0, size);
    } else {
        start = clamp(start, -1, size - 1);
        end = clamp(end, -1, size - 1);
    }
    int64_t length = step > 0 ? end - start : start - end, pace = step > 0 ? step : -step;
    int64_t count = length <= 0 ? 0 : (length - 1) / pace + 1;
    return (cut){start, count, count > 1 ? step : 1};
}

static hst_status get_cuts(hst__op_ctx *c, cut cuts[HST_MAX_RANK]) {
    lists l;
    unsigned seen = 0;
    const hst__desc *x = &c->in[X];
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = c->node->opset < 10 ? from_attributes(c, &l) : from_inputs(c, &l);
    if (st)
        return st;
    for (int i = 0; i < x->rank; i++)
        cuts[i] = (cut){0, x->dims[i], 1};
    for (int i = 0; i < l.n; i++) {
        int axis;
        st = hst__op_axis(c, l.axes[i], x->rank, false, &axis);
        if (st)
            return st;
        if (l.steps[i] == 0)
            return hst__op_fail(c, HST_E_SHAPE, "a step of 0 on axis %d", axis);
        if (seen >> axis & 1)
            return hst__op_fail(c, HST_E_SHAPE, "axis %d is given twice", axis);
        seen |= 1u << axis;
        /* the most negative step has no opposite; any of its size goes past the end */
        cuts[axis] = cut_of(x->dims[axis], l.starts[i], l.ends[i],
                            l.steps[i] < -INT64_MAX ? -INT64_MAX : l.steps[i]);
    }
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    cut cuts[HST_MAX_RANK];
    int64_t dims[HST_MAX_RANK];
    hst_status st = get_cuts(c, cuts);
    if (st)
        return st;
    for (int i = 0; i < c->in[X].rank; i++)
        dims[i] = cuts[i].count;
    return hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, dims);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    cut cuts[HST_MAX_RANK];
    int64_t from[HST_MAX_RANK], to[HST_MAX_RANK];
    hst_status st = get_cuts(c, cuts);
    if (st)
        return st;
    hst__box b = {.item = hst_dtype_size(c->in[X].dtype)};
    ptrdiff_t item = (ptrdiff_t)b.item, offset = 0;
    hst__desc_strides(&c->in[X], from);
    hst__desc_strides(&c->out[0], to);
    bool whole = true;
    for (int i = 0; i < c->in[X].rank; i++) {
        hst__box_loop(&b, (size_t)cuts[i].count, from[i] * item * cuts[i].step,
                      to[i] * item);
        offset += cuts[i].count ? from[i] * item * cuts[i].start : 0;
        whole &= cuts[i].count == c->in[X].dims[i] && cuts[i].step == 1;
    }
    if (whole) {
        s->alias = 1;
        return HST_OK;
    }
    hst__box_close(&b);
    return hst__box_prepare(c, s, &b, (size_t)offset);
}

const hst__op hst__op_Slice = {7, HST__OPSET_MAX, 1, 5, 1, 1, false, infer, prepare};
