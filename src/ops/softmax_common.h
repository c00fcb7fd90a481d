#ifndef HST_OPS_SOFTMAX_COMMON_H
#define HST_OPS_SOFTMAX_COMMON_H

#include "ops/op.h"

/** Softmax or its logarithm along the attribute axis: one axis from opset 13 on (default -1),
 * before that all dimensions from it on together (default 1). */
hst_status hst__softmax_prepare(hst__op_ctx *c, hst__step *s, bool logarithm);

#endif
