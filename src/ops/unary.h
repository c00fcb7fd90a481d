/* Operators that map each element of one input to one element of the output. */
#ifndef HST_OPS_UNARY_H
#define HST_OPS_UNARY_H

#include "ops/types.h"

/** y[i] = f(x[i], param) for i in 0..n-1; y may be x. */
typedef void hst__unary_row(void *y, const void *x, size_t n, const void *param);

typedef struct hst__unary {
    hst__unary_row *row;
    const void *param;  /**< lives as long as the step; may be NULL */
    double ns;          /**< rough time an element takes, for cutting work */
    const char *kernel; /**< static text; NULL keeps the step's */
} hst__unary;

/** The output has shape and element type of input 0. */
hst_status hst__unary_infer(hst__op_ctx *c);
/** The step maps input 0 to output 0 by how->row. */
hst_status hst__unary_prepare(hst__op_ctx *c, hst__step *s, const hst__unary *how);
/** Takes the row of the input's element type; refuses the types that have none. */
hst_status hst__unary_prepare_table(hst__op_ctx *c, hst__step *s,
                                    hst__unary_row *const rows[HST__DTYPES], double ns,
                                    const void *param);

/** Defines row_<type>: o[i] = expr of x, an element of type T; p is param. */
#define HST__UNARY_ROW(expr, suffix, dtype, ctype)                                       \
    static void row_##suffix(void *y, const void *from, size_t n, const void *p) {       \
        typedef ctype T;                                                                 \
        T *o = y;                                                                        \
        const T *in = from;                                                              \
        (void)p;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                 \
            const T x = in[i];                                                           \
            o[i] = (T)(expr);                                                            \
        }                                                                                \
    }

/** Defines the operator once its rows are there: `types` is a HST__TYPES list. */
#define HST__UNARY_OP(symbol, first, last, types, ns)                                    \
    static hst_status prepare(hst__op_ctx *c, hst__step *s) {                            \
        static hst__unary_row *const rows[HST__DTYPES] = {types(HST__TYPE_ENTRY, row_)}; \
        return hst__unary_prepare_table(c, s, rows, ns, NULL);                           \
    }                                                                                    \
    const hst__op hst__op_##symbol = {first, last,  1,                1,      1,         \
                                      1,     false, hst__unary_infer, prepare};

/** Rough nanoseconds an element takes, for cutting work in pieces. */
#define HST__NS_CHEAP 0.25 /**< bound by memory */
#define HST__NS_LIBM 8.0   /**< one call of the C library */

enum { HST__OPSET_MIN = 7, HST__OPSET_MAX = 28 };

#endif
