#include "ops/activation.h"

HST__ACTIVATION_OP(HardSwish, 14, HST__ACT_HARDSWISH, 1.0f / 6, 0.5f)
