/* QLinearConv: a quantised convolution, quantised again. */
#include "ops/qconv.h"
#include "ops/types.h"
#include "ops/unary.h"

/** x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias. */
static const hst__qconv inputs = {0, 3, 2, 5, 1, 4, 6, 7, 8};

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 8);
    if (!st && (c->in[1].dtype != HST_DTYPE_F32 || c->in[4].dtype != HST_DTYPE_F32 ||
                c->in[6].dtype != HST_DTYPE_F32))
        st = hst__op_fail(c, HST_E_TYPE, "scales must be f32");
    if (!st && hst__op_has(c, 8) && c->in[8].dtype != HST_DTYPE_S32)
        st = hst__op_bad_type(c, 8, "s32");
    return st ? st : hst__qconv_infer(c, &inputs);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__qconv_prepare(c, s, &inputs);
}

const hst__op hst__op_QLinearConv = {10, HST__OPSET_MAX, 8,     9,      1,
                                     1,  false,          infer, prepare};
