/* Average pooling of quantised tensors: real values are averaged and quantised again. */
#ifndef HST_OPS_QLINEAR_POOL_H
#define HST_OPS_QLINEAR_POOL_H

#include "ops/op.h"

hst_status hst__qlinear_pool_infer(hst__op_ctx *c, bool global);
hst_status hst__qlinear_pool_prepare(hst__op_ctx *c, hst__step *s, bool global);

#endif
