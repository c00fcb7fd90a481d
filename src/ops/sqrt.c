#include <tgmath.h>

#include "ops/unary.h"

HST__TYPES_FLOAT(HST__UNARY_ROW, sqrt(x))
HST__UNARY_OP(Sqrt, 7, HST__OPSET_MAX, HST__TYPES_FLOAT, HST__NS_CHEAP)
