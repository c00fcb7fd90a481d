#include <tgmath.h>

#include "ops/binary.h"

/* fmod = 0: the result has the sign of the divisor, as in Python; fmod = 1: that of the
 * dividend, as in C. Integers modulo zero give 0. Opset 10 to 12 left fmod = 0 on floats
 * open; later ones forbid it, and here it follows the divisor's sign as well. */
#define SIGNED_MOD(a, b) ((b) == 0 || (b) == -1 ? 0 : (a) % (b))
#define FLOOR_ROW(expr, suffix, dtype, ctype)                                            \
    HST__BINARY_ROW_AS(ctype, floor_, expr, suffix, ctype)
#define TRUNC_ROW(expr, suffix, dtype, ctype)                                            \
    HST__BINARY_ROW_AS(ctype, trunc_, expr, suffix, ctype)

/** r = a mod b with the sign of a -> with the sign of b. */
static inline int64_t follow_divisor(int64_t r, int64_t b) {
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static inline double float_floor_mod(double a, double b) {
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

HST__TYPES_SIGNED(FLOOR_ROW, follow_divisor(SIGNED_MOD(a, b), b))
HST__TYPES_SIGNED(TRUNC_ROW, SIGNED_MOD(a, b))
HST__TYPES_UNSIGNED(FLOOR_ROW, b == 0 ? 0 : a % b)
HST__TYPES_UNSIGNED(TRUNC_ROW, b == 0 ? 0 : a % b)
HST__TYPES_FLOAT(FLOOR_ROW, float_floor_mod(a, b))
HST__TYPES_FLOAT(TRUNC_ROW, fmod(a, b))

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__binary_row *const floor_rows[HST__DTYPES] = {
        HST__TYPES_NUMBER(HST__TYPE_ENTRY, floor_)};
    static hst__binary_row *const trunc_rows[HST__DTYPES] = {
        HST__TYPES_NUMBER(HST__TYPE_ENTRY, trunc_)};
    bool c_like = hst__attr_int(c->node, "fmod", 0) != 0;
    return hst__binary_prepare_table(c, s, c_like ? trunc_rows : floor_rows,
                                     HST__NS_LIBM);
}

const hst__op hst__op_Mod = {10, HST__OPSET_MAX, 2,      2, 1, 1, false,
                             hst__binary_infer, prepare};
