#include "ops/activation.h"

HST__ACTIVATION_OP(ms_Gelu, 1, HST__ACT_GELU, 0, 0)
