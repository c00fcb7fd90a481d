#include "ops/unary.h"

typedef struct shrink_param {
    float lambd, bias;
} shrink_param;

#define PARAM ((const shrink_param *)p)
HST__TYPES_FLOAT(HST__UNARY_ROW, x < -(T)PARAM->lambd  ? x + (T)PARAM->bias
                                 : x > (T)PARAM->lambd ? x - (T)PARAM->bias
                                 : x != x              ? x
                                                       : 0)

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__unary_row *const rows[HST__DTYPES] = {
        HST__TYPES_FLOAT(HST__TYPE_ENTRY, row_)};
    shrink_param *param = hst__op_state(c, sizeof *param);
    if (!param)
        return hst__op_nomem(c, sizeof *param);
    param->lambd = hst__attr_float(c->node, "lambd", 0.5f);
    param->bias = hst__attr_float(c->node, "bias", 0);
    return hst__unary_prepare_table(c, s, rows, HST__NS_CHEAP, param);
}

const hst__op hst__op_Shrink = {9, HST__OPSET_MAX, 1,      1, 1, 1, false,
                                hst__unary_infer, prepare};
