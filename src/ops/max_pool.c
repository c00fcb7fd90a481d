#include "ops/pool.h"
#include "ops/unary.h"

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__pool_prepare(c, s, true);
}

const hst__op hst__op_MaxPool = {7,     HST__OPSET_MAX,  1,      1, 1, 2,
                                 false, hst__pool_infer, prepare};
