#include "ops/box.h"
#include "ops/unary.h"

/** perm[i] is the input's dimension that becomes dimension i; reversed where not given. */
static hst_status get_perm(hst__op_ctx *c, int perm[HST_MAX_RANK]) {
    size_t n;
    int rank = c->in[0].rank;
    unsigned seen = 0;
    const int64_t *attr = hst__attr_ints(c->node, "perm", &n);
    if (attr && n != (size_t)rank)
        return hst__op_fail(c, HST_E_SHAPE, "perm has %zu entries, the input has rank %d",
                            n, rank);
    for (int i = 0; i < rank; i++) {
        perm[i] = rank - 1 - i;
        if (!attr)
            continue;
        hst_status st = hst__op_axis(c, attr[i], rank, false, &perm[i]);
        if (st)
            return st;
        if (seen >> perm[i] & 1)
            return hst__op_fail(c, HST_E_SHAPE, "perm names dimension %d twice", perm[i]);
        seen |= 1u << perm[i];
    }
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    int perm[HST_MAX_RANK];
    int64_t dims[HST_MAX_RANK];
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = get_perm(c, perm);
    if (st)
        return st;
    for (int i = 0; i < c->in[0].rank; i++)
        dims[i] = c->in[0].dims[perm[i]];
    return hst__op_set_out(c, 0, c->in[0].dtype, c->in[0].rank, dims);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    int perm[HST_MAX_RANK], last = -1;
    int64_t from[HST_MAX_RANK], to[HST_MAX_RANK];
    bool moves = false;
    hst_status st = get_perm(c, perm);
    if (st)
        return st;
    hst__box b = {.item = hst_dtype_size(c->in[0].dtype)};
    ptrdiff_t item = (ptrdiff_t)b.item;
    hst__desc_strides(&c->in[0], from);
    hst__desc_strides(&c->out[0], to);
    for (int i = 0; i < c->in[0].rank; i++) {
        hst__box_loop(&b, (size_t)c->out[0].dims[i], from[perm[i]] * item, to[i] * item);
        if (c->out[0].dims[i] == 1)
            continue;
        moves |= perm[i] < last;
        last = perm[i];
    }
    if (!moves) {
        s->alias = 1;
        return HST_OK;
    }
    hst__box_close(&b);
    return hst__box_prepare(c, s, &b, 0);
}

const hst__op hst__op_Transpose = {7, HST__OPSET_MAX, 1,     1,      1,
                                   1, false,          infer, prepare};
