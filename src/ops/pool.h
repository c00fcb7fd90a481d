/* What the pooling operators share. */
#ifndef HST_OPS_POOL_H
#define HST_OPS_POOL_H

#include "kernels/pool.h"
#include "ops/op.h"

/** Of one tap in the plain form, padding included. */
#define HST__POOL_TAP_NS 20

/** Shape of the outputs of MaxPool and AveragePool. */
hst_status hst__pool_infer(hst__op_ctx *c);
hst_status hst__pool_prepare(hst__op_ctx *c, hst__step *s, bool max);
/** GlobalMaxPool and GlobalAveragePool. */
hst_status hst__pool_global_infer(hst__op_ctx *c);
hst_status hst__pool_global_prepare(hst__op_ctx *c, hst__step *s, bool max);

#endif
