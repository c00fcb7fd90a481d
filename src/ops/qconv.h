/* ConvInteger and QLinearConv: exact integer convolutions of planar tensors. */
#ifndef HST_OPS_QCONV_H
#define HST_OPS_QCONV_H

#include "ops/op.h"

/** Which inputs are what; -1: absent. Without y_scale the output is the s32 sum. */
typedef struct hst__qconv {
    int x, w, x_zero, w_zero, x_scale, w_scale, y_scale, y_zero, bias;
} hst__qconv;

hst_status hst__qconv_infer(hst__op_ctx *c, const hst__qconv *q);
hst_status hst__qconv_prepare(hst__op_ctx *c, hst__step *s, const hst__qconv *q);

#endif
