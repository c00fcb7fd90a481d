#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceProd, HST__REDUCE_PROD, 18)
