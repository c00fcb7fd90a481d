#include "ops/binary.h"

/* The slope broadcasts to x, not the other way. */
HST__TYPES_SIGNED(HST__BINARY_ROW, a < 0 ? (uint64_t)a * (uint64_t)b : (uint64_t)a)
HST__TYPES_UNSIGNED(HST__BINARY_ROW, ((void)b, a))
HST__TYPES_FLOAT(HST__BINARY_ROW, a < 0 ? a * b : a)

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__binary_infer(c);
    if (!st && !hst__desc_equal_shape(&c->out[0], &c->in[0]))
        st = hst__op_fail(c, HST_E_SHAPE, "the slope is larger than the input");
    return st;
}

HST__BINARY_OP_AS(PRelu, 7, HST__TYPES_NUMBER, HST__NS_CHEAP, infer)
