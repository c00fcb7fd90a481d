/* ConvInteger: (x - x_zero) * (w - w_zero) in s32. */
#include "ops/qconv.h"
#include "ops/types.h"
#include "ops/unary.h"

static const hst__qconv inputs = {0, 1, 2, 3, -1, -1, -1, -1, -1};

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 2);
    return st ? st : hst__qconv_infer(c, &inputs);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__qconv_prepare(c, s, &inputs);
}

const hst__op hst__op_ConvInteger = {10, HST__OPSET_MAX, 2,     4,      1,
                                     1,  false,          infer, prepare};
