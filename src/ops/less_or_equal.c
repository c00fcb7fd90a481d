#include "ops/binary.h"

HST__TYPES_NUMBER(HST__COMPARE_ROW, a <= b)
HST__COMPARE_OP(LessOrEqual, 12, HST__TYPES_NUMBER)
