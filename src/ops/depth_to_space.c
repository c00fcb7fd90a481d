#include "ops/depth_space.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) { return hst__depth_space_infer(c, true); }

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__depth_space_prepare(c, s, true);
}

const hst__op hst__op_DepthToSpace = {7, HST__OPSET_MAX, 1,     1,      1,
                                      1, false,          infer, prepare};
