/* QLinearMatMul: a quantised product, quantised again. */
#include "ops/qmatmul.h"
#include "ops/types.h"
#include "ops/unary.h"

/** a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero. */
static const hst__qmatmul inputs = {0, 3, 2, 5, 1, 4, 6, 7};

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 8);
    for (int i = 1; !st && i < 8; i += i == 1 ? 3 : 2)
        if (c->in[i].dtype != HST_DTYPE_F32)
            st = hst__op_bad_type(c, i, "f32, f16");
    return st ? st : hst__qmatmul_infer(c, &inputs);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__qmatmul_prepare(c, s, &inputs);
}

const hst__op hst__op_QLinearMatMul = {10, HST__OPSET_MAX, 8,     8,      1,
                                       1,  false,          infer, prepare};
