#include "ops/activation.h"

HST__ACTIVATION_OP(HardSigmoid, 7, HST__ACT_HARDSIGMOID, hst__attr_float(n, "alpha", 0.2f),
                   hst__attr_float(n, "beta", 0.5f))
