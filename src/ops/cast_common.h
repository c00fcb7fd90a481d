/* Conversion of elements from one type to another. */
#ifndef HST_OPS_CAST_COMMON_H
#define HST_OPS_CAST_COMMON_H

#include "ops/op.h"

/** Output 0 is input 0 in the element type that infer set. */
hst_status hst__cast_prepare(hst__op_ctx *c, hst__step *s);

#endif
