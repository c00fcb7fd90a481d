#include "ops/unary.h"

HST__TYPES_FLOAT(HST__UNARY_ROW, (T)1 / x)
HST__UNARY_OP(Reciprocal, 7, HST__OPSET_MAX, HST__TYPES_FLOAT, HST__NS_CHEAP)
