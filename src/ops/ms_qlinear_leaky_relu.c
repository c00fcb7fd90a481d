#include "ops/qlinear_map.h"
#include "ops/unary.h"

static float map(float a, float b, float param) {
    (void)b;
    return a < 0 ? param * a : a;
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__qlinear_unary_prepare(c, s, map,
                                      hst__attr_float(c->node, "alpha", 0.01f));
}

const hst__op hst__op_ms_QLinearLeakyRelu = {
    1, HST__OPSET_MAX, 4, 5, 1, 1, false, hst__qlinear_unary_infer, prepare};
