/* Operators on any number of tensors that broadcast to one shape: Max, Min, Sum, Mean. */
#ifndef HST_OPS_VARIADIC_H
#define HST_OPS_VARIADIC_H

#include "ops/binary.h"

hst_status hst__variadic_infer(hst__op_ctx *c);
/** Output = rows(...rows(rows(in 0, in 1), in 2)...), then `last` where it is given, with
 * param. One input is passed through (and through `last`). */
hst_status hst__variadic_prepare(hst__op_ctx *c, hst__step *s,
                                 hst__binary_row *const rows[HST__DTYPES],
                                 hst__unary_row *last, const void *param);

/** Defines the operator once its rows are there. */
#define HST__VARIADIC_OP(symbol, first, types)                                           \
    static hst_status prepare(hst__op_ctx *c, hst__step *s) {                            \
        static hst__binary_row *const rows[HST__DTYPES] = {                              \
            types(HST__TYPE_ENTRY, row_)};                                               \
        return hst__variadic_prepare(c, s, rows, NULL, NULL);                            \
    }                                                                                    \
    const hst__op hst__op_##symbol = {                                                   \
        first, HST__OPSET_MAX, 1,      HST__OP_VARIADIC, 1, 1, false,                    \
        hst__variadic_infer, prepare};

#endif
