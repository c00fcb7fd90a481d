#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceMax, HST__REDUCE_MAX, 18)
