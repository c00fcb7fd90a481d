#include "ops/unary.h"

HST__TYPES_INT(HST__UNARY_ROW, ~x)
HST__UNARY_OP(BitwiseNot, 18, HST__OPSET_MAX, HST__TYPES_INT, HST__NS_CHEAP)
