#include "ops/binary.h"

HST__TYPES_BOOL(HST__BINARY_ROW, a && b)
HST__BINARY_OP(And, 7, HST__TYPES_BOOL, HST__NS_CHEAP)
