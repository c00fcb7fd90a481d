#include "ops/activation.h"

/* Integers came with opset 14. */
HST__TYPES_SIGNED(HST__UNARY_ROW, x < 0 ? 0 : x)
HST__TYPES_UNSIGNED(HST__UNARY_ROW, x)

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__unary_row *const rows[HST__DTYPES] = {
        HST__TYPES_INT(HST__TYPE_ENTRY, row_)};
    if (rows[c->in[0].dtype])
        return hst__unary_prepare_table(c, s, rows, HST__NS_CHEAP, NULL);
    return hst__activation_prepare(c, s, (hst__act){.kind = HST__ACT_RELU});
}

const hst__op hst__op_Relu = {7, HST__OPSET_MAX, 1,      1, 1, 1, false,
                              hst__unary_infer, prepare};
