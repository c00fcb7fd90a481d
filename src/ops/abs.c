#include <tgmath.h>

#include "ops/unary.h"

/* The lowest integer has no counterpart and stays itself. */
HST__TYPES_SIGNED(HST__UNARY_ROW, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
HST__TYPES_UNSIGNED(HST__UNARY_ROW, x)
HST__TYPES_FLOAT(HST__UNARY_ROW, fabs(x))
HST__UNARY_OP(Abs, 7, HST__OPSET_MAX, HST__TYPES_NUMBER, HST__NS_CHEAP)
