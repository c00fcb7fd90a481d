#include "ops/unary.h"

/* The lowest integer has no counterpart and stays itself. */
HST__TYPES_SIGNED(HST__UNARY_ROW, 0 - (uint64_t)x)
HST__TYPES_FLOAT(HST__UNARY_ROW, -x)

#define TYPES(X, arg) HST__TYPES_SIGNED(X, arg) HST__TYPES_FLOAT(X, arg)
HST__UNARY_OP(Neg, 7, HST__OPSET_MAX, TYPES, HST__NS_CHEAP)
