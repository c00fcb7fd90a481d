#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceMean, HST__REDUCE_MEAN, 18)
