#include "ops/activation.h"

HST__ACTIVATION_OP(Mish, 18, HST__ACT_MISH, 0, 0)
