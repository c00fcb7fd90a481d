#include <tgmath.h>

#include "ops/unary.h"

HST__TYPES_FLOAT(HST__UNARY_ROW, sinh(x))
HST__UNARY_OP(Sinh, 9, HST__OPSET_MAX, HST__TYPES_FLOAT, HST__NS_LIBM)
