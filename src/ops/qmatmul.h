/* MatMulInteger and QLinearMatMul: exact integer products of batches of matrices. */
#ifndef HST_OPS_QMATMUL_H
#define HST_OPS_QMATMUL_H

#include "ops/op.h"

/** Which inputs are what; -1: absent. Without y_scale the output is the s32 sum. */
typedef struct hst__qmatmul {
    int a, b, a_zero, b_zero, a_scale, b_scale, y_scale, y_zero;
} hst__qmatmul;

hst_status hst__qmatmul_infer(hst__op_ctx *c, const hst__qmatmul *q);
hst_status hst__qmatmul_prepare(hst__op_ctx *c, hst__step *s, const hst__qmatmul *q);

#endif
