#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceMin, HST__REDUCE_MIN, 18)
