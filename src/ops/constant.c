/* Constant nodes become weights when the file is read; what is left here has a value of a
 * kind that is not supported. */
#include "ops/types.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) {
    return hst__op_fail(c, HST_E_UNSUPPORTED,
                        "a value that is text or sparse; dense numbers are supported");
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    (void)s;
    return infer(c);
}

const hst__op hst__op_Constant = {7, HST__OPSET_MAX, 0, 0, 1, 1, false, infer, prepare};
