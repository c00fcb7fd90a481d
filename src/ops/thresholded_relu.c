#include "ops/unary.h"

#define ALPHA (T)(*(const float *)p)
HST__TYPES_FLOAT(HST__UNARY_ROW, x > ALPHA || x != x ? x : 0)

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__unary_row *const rows[HST__DTYPES] = {
        HST__TYPES_FLOAT(HST__TYPE_ENTRY, row_)};
    float *alpha = hst__op_state(c, sizeof *alpha);
    if (!alpha)
        return hst__op_nomem(c, sizeof *alpha);
    *alpha = hst__attr_float(c->node, "alpha", 1);
    return hst__unary_prepare_table(c, s, rows, HST__NS_CHEAP, alpha);
}

const hst__op hst__op_ThresholdedRelu = {10, HST__OPSET_MAX, 1,      1, 1, 1, false,
                                         hst__unary_infer, prepare};
