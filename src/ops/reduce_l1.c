#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceL1, HST__REDUCE_L1, 18)
