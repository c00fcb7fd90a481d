#include <string.h>

#include "ops/activation.h"

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    const char *how = hst__attr_string(c->node, "approximate", "none");
    if (strcmp(how, "none") == 0)
        return hst__activation_prepare(c, s, (hst__act){.kind = HST__ACT_GELU});
    if (strcmp(how, "tanh") == 0)
        return hst__activation_prepare(c, s, (hst__act){.kind = HST__ACT_GELU_TANH});
    return hst__op_fail(c, HST_E_UNSUPPORTED,
                        "approximate is '%.40s'; supported are none and tanh", how);
}

const hst__op hst__op_Gelu = {20, HST__OPSET_MAX, 1,      1, 1, 1, false,
                              hst__unary_infer, prepare};
