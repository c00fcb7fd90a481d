#include "ops/binary.h"

/* Integers round towards zero; division by zero gives 0, the lowest one by -1 itself. */
HST__TYPES_SIGNED(HST__BINARY_ROW, b == 0 ? 0 : b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b))
HST__TYPES_UNSIGNED(HST__BINARY_ROW, b == 0 ? 0 : a / b)
HST__TYPES_FLOAT(HST__BINARY_ROW, a / b)
HST__BINARY_OP(Div, 7, HST__TYPES_NUMBER, HST__NS_CHEAP)
