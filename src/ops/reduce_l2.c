#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceL2, HST__REDUCE_L2, 18)
