#include "ops/unary.h"

/* Zero and NaN stay themselves. */
HST__TYPES_SIGNED(HST__UNARY_ROW, (x > 0) - (x < 0))
HST__TYPES_UNSIGNED(HST__UNARY_ROW, x > 0)
HST__TYPES_FLOAT(HST__UNARY_ROW, x > 0 ? 1 : x < 0 ? -1 : x)
HST__UNARY_OP(Sign, 9, HST__OPSET_MAX, HST__TYPES_NUMBER, HST__NS_CHEAP)
