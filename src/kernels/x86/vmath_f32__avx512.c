#include "kernels/vmath_rows.h"

hst__act_row *const hst__act_rows__avx512[HST__ACT_COUNT] = VMATH_TABLE;
