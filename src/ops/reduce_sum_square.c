#include "ops/reduce.h"
#include "ops/unary.h"

HST__REDUCE_OP(ReduceSumSquare, HST__REDUCE_SUM_SQUARE, 18)
