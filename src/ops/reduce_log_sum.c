#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceLogSum, HST__REDUCE_LOG_SUM, 18)
