/* x * sigmoid(alpha * x). */
#include "ops/activation.h"

HST__ACTIVATION_OP(ms_QuickGelu, 1, HST__ACT_SILU, hst__attr_float(n, "alpha", 1.702f), 0)
