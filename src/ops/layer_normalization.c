/* LayerNormalization: the dimensions from `axis` on are one row. */
#include "ops/row_norm.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, SCALE, BIAS };

static hst_status row_axis(hst__op_ctx *c, int *axis) {
    return hst__op_axis(c, hst__attr_int(c->node, "axis", -1), c->in[X].rank, false,
                        axis);
}

static hst_status infer(hst__op_ctx *c) {
    int axis;
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = row_axis(c, &axis);
    if (st)
        return st;
    const hst__desc *x = &c->in[X];
    hst__desc reduced = *x;
    size_t n = hst__desc_span(x, axis, x->rank);
    for (int i = SCALE; i <= BIAS; i++)
        if (hst__op_has(c, i) && hst__desc_size(&c->in[i]) != n)
            return hst__op_fail(c, HST_E_SHAPE,
                                "input %d has %zu elements for rows of %zu", i,
                                hst__desc_size(&c->in[i]), n);
    for (int i = axis; i < x->rank; i++)
        reduced.dims[i] = 1;
    st = hst__op_set_out(c, 0, x->dtype, x->rank, x->dims);
    for (int i = 1; !st && i < c->n_out; i++)
        if (hst__op_wants(c, i))
            st = hst__op_set_out(c, i, HST_DTYPE_F32, x->rank, reduced.dims);
    return st;
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    int axis;
    hst_status st = row_axis(c, &axis);
    if (st)
        return st;
    const hst__desc *x = &c->in[X];
    for (int i = X; i <= BIAS; i++)
        if (hst__op_has(c, i) && c->in[i].dtype != HST_DTYPE_F32)
            return hst__op_bad_type(c, i, "f32");
    hst__row_norm norm = {.x = X,
                          .skip = -1,
                          .skip_bias = -1,
                          .gamma = SCALE,
                          .beta = hst__op_has(c, BIAS) ? BIAS : -1,
                          .mean = hst__op_wants(c, 1) ? 1 : -1,
                          .inv_std = hst__op_wants(c, 2) ? 2 : -1,
                          .sum = -1,
                          .rows = hst__desc_span(x, 0, axis),
                          .n = hst__desc_span(x, axis, x->rank),
                          .eps = hst__attr_float(c->node, "epsilon", 1e-5f),
                          .centre = true};
    return hst__row_norm_prepare(c, s, &norm);
}

const hst__op hst__op_LayerNormalization = {1, HST__OPSET_MAX, 2,     3,      1,
                                            3, false,          infer, prepare};
