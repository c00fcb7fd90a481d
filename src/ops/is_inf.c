#include <math.h>

#include "ops/unary.h"

typedef struct is_inf_param {
    bool positive, negative;
} is_inf_param;

#define IS_INF_ROW(arg, suffix, dtype, ctype)                                            \
    static void row_##suffix(void *y, const void *from, size_t n, const void *param) {   \
        uint8_t *o = y;                                                                  \
        const ctype *x = from;                                                           \
        const is_inf_param *p = param;                                                   \
        for (size_t i = 0; i < n; i++)                                                   \
            o[i] = isinf(x[i]) && (x[i] > 0 ? p->positive : p->negative);                \
    }
HST__TYPES_FLOAT(IS_INF_ROW, )

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 1);
    return st ? st
              : hst__op_set_out(c, 0, HST_DTYPE_BOOL, c->in[0].rank, c->in[0].dims);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__unary_row *const rows[HST__DTYPES] = {
        HST__TYPES_FLOAT(HST__TYPE_ENTRY, row_)};
    is_inf_param *p = hst__op_state(c, sizeof *p);
    if (!p)
        return hst__op_nomem(c, sizeof *p);
    p->positive = hst__attr_int(c->node, "detect_positive", 1) != 0;
    p->negative = hst__attr_int(c->node, "detect_negative", 1) != 0;
    return hst__unary_prepare_table(c, s, rows, HST__NS_CHEAP, p);
}

const hst__op hst__op_IsInf = {10, HST__OPSET_MAX, 1, 1, 1, 1, false, infer, prepare};
