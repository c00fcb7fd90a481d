#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceSum, HST__REDUCE_SUM, 13)
