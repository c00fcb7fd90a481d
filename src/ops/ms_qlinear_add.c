#include "ops/qlinear_map.h"
#include "ops/unary.h"

static float map(float a, float b, float param) {
    (void)param;
    return a + b;
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__qlinear_binary_prepare(c, s, map);
}

const hst__op hst__op_ms_QLinearAdd = {
    1, HST__OPSET_MAX, 7, 8, 1, 1, false, hst__qlinear_binary_infer, prepare};
