#include "ops/binary.h"

HST__TYPES_NUMBER(HST__COMPARE_ROW, a == b)
HST__TYPES_BOOL(HST__COMPARE_ROW, !a == !b)
HST__COMPARE_OP(Equal, 7, HST__TYPES_ALL)
