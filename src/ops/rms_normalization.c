/* RMSNormalization: rows from `axis` on, divided by their root mean square. */
#include "ops/row_norm.h"
#include "ops/types.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 2);
    return st ? st : hst__unary_infer(c);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    int axis;
    const hst__desc *x = &c->in[0];
    hst_status st =
        hst__op_axis(c, hst__attr_int(c->node, "axis", -1), x->rank, false, &axis);
    if (st)
        return st;
    size_t n = hst__desc_span(x, axis, x->rank);
    if (x->dtype != HST_DTYPE_F32 || c->in[1].dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, 0, "f32");
    if (hst__desc_size(&c->in[1]) != n)
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "a scale of %zu elements for rows of %zu; it "
                            "must be as long as a row",
                            hst__desc_size(&c->in[1]), n);
    hst__row_norm norm = {.x = 0,
                          .skip = -1,
                          .skip_bias = -1,
                          .gamma = 1,
                          .beta = -1,
                          .mean = -1,
                          .inv_std = -1,
                          .sum = -1,
                          .rows = hst__desc_span(x, 0, axis),
                          .n = n,
                          .eps = hst__attr_float(c->node, "epsilon", 1e-5f)};
    return hst__row_norm_prepare(c, s, &norm);
}

const hst__op hst__op_RMSNormalization = {23, HST__OPSET_MAX, 2,     2,      1,
                                          1,  false,          infer, prepare};
