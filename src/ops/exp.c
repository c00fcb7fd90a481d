#include "ops/activation.h"

HST__ACTIVATION_OP(Exp, 7, HST__ACT_EXP, 0, 0)
