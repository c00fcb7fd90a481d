#include <math.h>

#include "ops/qlinear_map.h"
#include "ops/unary.h"

static float map(float a, float b, float param) {
    (void)b;
    (void)param;
    return 1 / (1 + expf(-a));
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__qlinear_unary_prepare(c, s, map, 0);
}

const hst__op hst__op_ms_QLinearSigmoid = {
    1, HST__OPSET_MAX, 4, 5, 1, 1, false, hst__qlinear_unary_infer, prepare};
