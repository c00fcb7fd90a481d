#include "ops/qlinear_pool.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) { return hst__qlinear_pool_infer(c, false); }

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__qlinear_pool_prepare(c, s, false);
}

const hst__op hst__op_ms_QLinearAveragePool = {1, HST__OPSET_MAX, 4,     5,      1,
                                               1, false,          infer, prepare};
