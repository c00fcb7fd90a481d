#include "ops/activation.h"

HST__ACTIVATION_OP(Softsign, 7, HST__ACT_SOFTSIGN, 0, 0)
