#include "ops/variadic.h"

/* A NaN on either side wins. */
HST__TYPES_INT(HST__BINARY_ROW, a < b ? a : b)
HST__TYPES_FLOAT(HST__BINARY_ROW, a < b || a != a ? a : b)
HST__VARIADIC_OP(Min, 7, HST__TYPES_NUMBER)
