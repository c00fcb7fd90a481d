#include "ops/binary.h"

HST__TYPES_NUMBER(HST__COMPARE_ROW, a > b)
HST__COMPARE_OP(Greater, 7, HST__TYPES_NUMBER)
