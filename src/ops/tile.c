/* Tile: each dimension repeated; a repeated dimension is two loops, the outer standing
 * still in the input. */
#include "ops/box.h"
#include "ops/unary.h"

static hst_status get_repeats(hst__op_ctx *c, int64_t repeats[HST_MAX_RANK]) {
    int n;
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__op_ints(c, 1, repeats, HST_MAX_RANK, &n);
    if (!st && n != c->in[0].rank)
        st = hst__op_fail(c, HST_E_SHAPE, "%d repeats for rank %d", n, c->in[0].rank);
    return st;
}

static hst_status infer(hst__op_ctx *c) {
    int64_t repeats[HST_MAX_RANK], dims[HST_MAX_RANK];
    hst_status st = get_repeats(c, repeats);
    for (int i = 0; !st && i < c->in[0].rank; i++)
        if (repeats[i] < 0 ||
            __builtin_mul_overflow(c->in[0].dims[i], repeats[i], &dims[i]))
            st = hst__op_fail(c, HST_E_SHAPE, "axis %d would be repeated %lld times", i,
                              (long long)repeats[i]);
    return st ? st : hst__op_set_out(c, 0, c->in[0].dtype, c->in[0].rank, dims);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    const hst__desc *x = &c->in[0];
    int64_t repeats[HST_MAX_RANK], from[HST_MAX_RANK], to[HST_MAX_RANK];
    hst_status st = get_repeats(c, repeats);
    if (st)
        return st;
    hst__box b = {.item = hst_dtype_size(x->dtype)};
    ptrdiff_t item = (ptrdiff_t)b.item;
    hst__desc_strides(x, from);
    hst__desc_strides(&c->out[0], to);
    for (int i = 0; i < x->rank; i++) {
        hst__box_loop(&b, (size_t)repeats[i], 0, to[i] * x->dims[i] * item);
        hst__box_loop(&b, (size_t)x->dims[i], from[i] * item, to[i] * item);
    }
    hst__box_close(&b);
    return hst__box_prepare(c, s, &b, 0);
}

const hst__op hst__op_Tile = {7, HST__OPSET_MAX, 2, 2, 1, 1, false, infer, prepare};
