#include "ops/binary.h"

/* Integers wrap around. */
HST__TYPES_INT(HST__BINARY_ROW, (uint64_t)a + (uint64_t)b)
HST__TYPES_FLOAT(HST__BINARY_ROW, a + b)
HST__BINARY_OP(Add, 7, HST__TYPES_NUMBER, HST__NS_CHEAP)
