#include "ops/activation.h"

HST__ACTIVATION_OP(Erf, 9, HST__ACT_ERF, 0, 0)
