#include "ops/activation.h"

HST__ACTIVATION_OP(Sigmoid, 7, HST__ACT_SIGMOID, 0, 0)
