#include "ops/activation.h"

HST__ACTIVATION_OP(Softplus, 7, HST__ACT_SOFTPLUS, 0, 0)
