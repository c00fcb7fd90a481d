#include "ops/view.h"

const hst__op hst__op_Identity = {7, HST__OPSET_MAX, 1,      1, 1, 1, false,
                                  hst__unary_infer, hst__view_prepare};
