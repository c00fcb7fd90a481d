#include "ops/activation.h"

HST__ACTIVATION_OP(LeakyRelu, 7, HST__ACT_LEAKY_RELU, hst__attr_float(n, "alpha", 0.01f), 0)
