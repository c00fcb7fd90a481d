#include "ops/variadic.h"

HST__TYPES_FLOAT(HST__BINARY_ROW, a + b)

#define SCALE_ROW(arg, suffix, dtype, ctype)                                             \
    static void scale_##suffix(void *y, const void *x, size_t n, const void *count) {    \
        ctype *o = y;                                                                    \
        const ctype *in = x;                                                             \
        for (size_t i = 0; i < n; i++)                                                   \
            o[i] = in[i] / (ctype)(*(const int *)count);                                 \
    }
HST__TYPES_FLOAT(SCALE_ROW, )

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__binary_row *const rows[HST__DTYPES] = {
        HST__TYPES_FLOAT(HST__TYPE_ENTRY, row_)};
    static hst__unary_row *const last[HST__DTYPES] = {
        HST__TYPES_FLOAT(HST__TYPE_ENTRY, scale_)};
    int *count = hst__op_state(c, sizeof *count);
    if (!count)
        return hst__op_nomem(c, sizeof *count);
    *count = c->n_in;
    return hst__variadic_prepare(c, s, rows, last[c->in[0].dtype], count);
}

const hst__op hst__op_Mean = {
    7, HST__OPSET_MAX, 1, HST__OP_VARIADIC, 1, 1, false, hst__variadic_infer, prepare};
