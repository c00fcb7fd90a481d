#include "ops/activation.h"

HST__ACTIVATION_OP(Selu, 7, HST__ACT_SELU, hst__attr_float(n, "alpha", 1.67326319217681884765625f),
                   hst__attr_float(n, "gamma", 1.05070102214813232421875f))
