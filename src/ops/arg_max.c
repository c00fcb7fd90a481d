#include "ops/arg_extreme.h"
#include "ops/unary.h"

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__arg_prepare(c, s, true);
}

const hst__op hst__op_ArgMax = {7,     HST__OPSET_MAX, 1,      1, 1, 1,
                                false, hst__arg_infer, prepare};
