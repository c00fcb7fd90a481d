/* Operators on two tensors that broadcast to one shape. */
#ifndef HST_OPS_BINARY_H
#define HST_OPS_BINARY_H

#include "ops/broadcast.h"
#include "ops/unary.h"

/** y[i] = f(a[i * sa], b[i * sb]) for i in 0..n-1; sa and sb are 0 or 1. y may be a where
 * sa is 1, or b where sb is 1. */
typedef void hst__binary_row(void *y, const void *a, const void *b, size_t n, size_t sa,
                             size_t sb);

/** The output has the element type of input 0 / bool; the shapes broadcast. Both inputs
 * must have one element type. */
hst_status hst__binary_infer(hst__op_ctx *c);
hst_status hst__compare_infer(hst__op_ctx *c);
/** The shapes broadcast; says nothing of the inputs' types. */
hst_status hst__binary_infer_as(hst__op_ctx *c, hst_dtype out);

/** The step computes output 0 row by row. */
hst_status hst__binary_prepare(hst__op_ctx *c, hst__step *s, hst__binary_row *row,
                               double ns);
/** Takes the row of input 0's element type; refuses the types that have none. */
hst_status hst__binary_prepare_table(hst__op_ctx *c, hst__step *s,
                                     hst__binary_row *const rows[HST__DTYPES], double ns);

/** Defines <prefix><type>: o[i] = expr of a and b, elements of type T; o has type O. */
#define HST__BINARY_ROW_AS(O, prefix, expr, suffix, ctype)                               \
    static void prefix##suffix(void *y, const void *pa, const void *pb, size_t n,        \
                               size_t sa, size_t sb) {                                   \
        typedef ctype T;                                                                 \
        const T *ap = pa, *bp = pb;                                                      \
        O *o = y;                                                                        \
        for (size_t i = 0; i < n; i++) {                                                 \
            const T a = ap[i * sa], b = bp[i * sb];                                      \
            o[i] = (O)(expr);                                                            \
        }                                                                                \
    }
#define HST__BINARY_ROW(expr, suffix, dtype, ctype)                                      \
    HST__BINARY_ROW_AS(ctype, row_, expr, suffix, ctype)
#define HST__COMPARE_ROW(expr, suffix, dtype, ctype)                                     \
    HST__BINARY_ROW_AS(uint8_t, row_, expr, suffix, ctype)

/** Defines the operator once its rows are there. */
#define HST__BINARY_OP_AS(symbol, first, types, ns, infer)                               \
    static hst_status prepare(hst__op_ctx *c, hst__step *s) {                            \
        static hst__binary_row *const rows[HST__DTYPES] = {                              \
            types(HST__TYPE_ENTRY, row_)};                                               \
        return hst__binary_prepare_table(c, s, rows, ns);                                \
    }                                                                                    \
    const hst__op hst__op_##symbol = {first, HST__OPSET_MAX, 2,     2,      1,           \
                                      1,     false,          infer, prepare};
#define HST__BINARY_OP(symbol, first, types, ns)                                         \
    HST__BINARY_OP_AS(symbol, first, types, ns, hst__binary_infer)
#define HST__COMPARE_OP(symbol, first, types)                                            \
    HST__BINARY_OP_AS(symbol, first, types, HST__NS_CHEAP, hst__compare_infer)

#endif
