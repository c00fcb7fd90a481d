/* x * sigmoid(x), which exporters write as two nodes. */
#include "ops/activation.h"

HST__ACTIVATION_OP(hst_SiLU, 1, .kind = HST__ACT_SILU, .a = 1)
