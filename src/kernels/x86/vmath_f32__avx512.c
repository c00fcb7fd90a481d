#include "kernels/x86/vmath_f32.h"

hst__act_row *const hst__act_rows__avx512[HST__ACT_COUNT] = ACT_ROWS;
