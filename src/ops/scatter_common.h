/* How ScatterND and ScatterElements combine an update with what is there. */
#ifndef HST_OPS_SCATTER_COMMON_H
#define HST_OPS_SCATTER_COMMON_H

#include "ops/op.h"

/** y[i] = y[i] combined with u[i], for i in 0..n-1. */
typedef void hst__combine(void *y, const void *u, size_t n);

/** What attribute `reduction` says for the type of input 0; NULL where it replaces. */
hst_status hst__scatter_reduction(hst__op_ctx *c, hst__combine **combine);

#endif
