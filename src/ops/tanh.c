#include "ops/activation.h"

HST__ACTIVATION_OP(Tanh, 7, HST__ACT_TANH, 0, 0)
