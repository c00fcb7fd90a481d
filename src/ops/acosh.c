#include <tgmath.h>

#include "ops/unary.h"

HST__TYPES_FLOAT(HST__UNARY_ROW, acosh(x))
HST__UNARY_OP(Acosh, 9, HST__OPSET_MAX, HST__TYPES_FLOAT, HST__NS_LIBM)
