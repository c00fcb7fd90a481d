#include "ops/variadic.h"

HST__TYPES_FLOAT(HST__BINARY_ROW, a + b)
HST__VARIADIC_OP(Sum, 7, HST__TYPES_FLOAT)
