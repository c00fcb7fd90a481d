#include "ops/activation.h"

HST__ACTIVATION_OP(Elu, 7, HST__ACT_ELU, hst__attr_float(n, "alpha", 1), 0)
