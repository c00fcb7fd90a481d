#include <string.h>

#include "ops/binary.h"

/* A shift by the width of the type or more leaves nothing. */
#define LEFT_ROW(arg, suffix, dtype, ctype)                                              \
    HST__BINARY_ROW_AS(ctype, left_, b < sizeof a * 8 ? (uint64_t)a << b : 0, suffix, ctype)
#define RIGHT_ROW(arg, suffix, dtype, ctype)                                             \
    HST__BINARY_ROW_AS(ctype, right_, b < sizeof a * 8 ? a >> b : 0, suffix, ctype)
HST__TYPES_UNSIGNED(LEFT_ROW, )
HST__TYPES_UNSIGNED(RIGHT_ROW, )

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__binary_row *const left[HST__DTYPES] = {
        HST__TYPES_UNSIGNED(HST__TYPE_ENTRY, left_)};
    static hst__binary_row *const right[HST__DTYPES] = {
        HST__TYPES_UNSIGNED(HST__TYPE_ENTRY, right_)};
    const char *direction = hst__attr_string(c->node, "direction", "");
    if (strcmp(direction, "LEFT") == 0)
        return hst__binary_prepare_table(c, s, left, HST__NS_CHEAP);
    if (strcmp(direction, "RIGHT") == 0)
        return hst__binary_prepare_table(c, s, right, HST__NS_CHEAP);
    return hst__op_fail(c, HST_E_UNSUPPORTED,
                        "direction is '%.40s'; supported are LEFT and RIGHT", direction);
}

const hst__op hst__op_BitShift = {11, HST__OPSET_MAX, 2,      2, 1, 1, false,
                                  hst__binary_infer, prepare};
