#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceLogSumExp, HST__REDUCE_LOG_SUM_EXP, 18)
