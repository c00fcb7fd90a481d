#include "ops/binary.h"

HST__TYPES_INT(HST__BINARY_ROW, a & b)
HST__BINARY_OP(BitwiseAnd, 18, HST__TYPES_INT, HST__NS_CHEAP)
