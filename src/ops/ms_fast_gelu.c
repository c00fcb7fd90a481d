#include "ops/bias_act.h"
#include "ops/unary.h"

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__bias_act_prepare(c, s, (hst__act){.kind = HST__ACT_GELU_TANH});
}

const hst__op hst__op_ms_FastGelu = {1,     HST__OPSET_MAX,      1,      2, 1, 1,
                                     false, hst__bias_act_infer, prepare};
