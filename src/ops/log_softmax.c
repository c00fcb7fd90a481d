#include "ops/softmax_common.h"
#include "ops/unary.h"

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    return hst__softmax_prepare(c, s, true);
}

const hst__op hst__op_LogSoftmax = {7,     HST__OPSET_MAX,   1,      1, 1, 1,
                                    false, hst__unary_infer, prepare};
