#include "ops/group_norm.h"
#include "ops/types.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 3);
    return st ? st : hst__unary_infer(c);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__group_norm_prepare(c, s, -1, hst__attr_float(c->node, "epsilon", 1e-5f));
}

const hst__op hst__op_InstanceNormalization = {7, HST__OPSET_MAX, 3,     3,      1,
                                               1, false,          infer, prepare};
