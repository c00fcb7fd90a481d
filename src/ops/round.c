#include <tgmath.h>

#include "ops/unary.h"

/* Halves go to the even neighbour: the default rounding mode, which nearbyint follows. */
HST__TYPES_FLOAT(HST__UNARY_ROW, nearbyint(x))
HST__UNARY_OP(Round, 11, HST__OPSET_MAX, HST__TYPES_FLOAT, HST__NS_LIBM)
