#include "ops/unary.h"

#define IS_NAN_ROW(arg, suffix, dtype, ctype)                                            \
    static void row_##suffix(void *y, const void *from, size_t n, const void *p) {       \
        uint8_t *o = y;                                                                  \
        const ctype *x = from;                                                           \
        (void)p;                                                                         \
        for (size_t i = 0; i < n; i++)                                                   \
            o[i] = x[i] != x[i];                                                         \
    }
HST__TYPES_FLOAT(IS_NAN_ROW, )

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 1);
    return st ? st
              : hst__op_set_out(c, 0, HST_DTYPE_BOOL, c->in[0].rank, c->in[0].dims);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__unary_row *const rows[HST__DTYPES] = {
        HST__TYPES_FLOAT(HST__TYPE_ENTRY, row_)};
    return hst__unary_prepare_table(c, s, rows, HST__NS_CHEAP, NULL);
}

const hst__op hst__op_IsNaN = {9, HST__OPSET_MAX, 1, 1, 1, 1, false, infer, prepare};
