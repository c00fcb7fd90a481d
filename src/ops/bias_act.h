/* act(x + bias) with a bias of the last dimension: BiasGelu, FastGelu. */
#ifndef HST_OPS_BIAS_ACT_H
#define HST_OPS_BIAS_ACT_H

#include "kernels/epilogue.h"
#include "ops/op.h"

hst_status hst__bias_act_infer(hst__op_ctx *c);
hst_status hst__bias_act_prepare(hst__op_ctx *c, hst__step *s, hst__act act);

#endif
