#include "ops/binary.h"

HST__TYPES_NUMBER(HST__COMPARE_ROW, a >= b)
HST__COMPARE_OP(GreaterOrEqual, 12, HST__TYPES_NUMBER)
