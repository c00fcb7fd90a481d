/* Expand: the input broadcast to the given shape (both ways). */
#include "ops/box.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) {
    hst__desc shape = {.dtype = c->in[0].dtype}, out;
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__op_ints(c, 1, shape.dims, HST_MAX_RANK, &shape.rank);
    for (int i = 0; !st && i < shape.rank; i++)
        if (shape.dims[i] < 0)
            st = hst__op_fail(c, HST_E_SHAPE, "a dimension of %lld",
                              (long long)shape.dims[i]);
    if (!st)
        st = hst__op_broadcast(c, &c->in[0], &shape, &out);
    return st ? st : hst__op_set_out(c, 0, c->in[0].dtype, out.rank, out.dims);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    const hst__desc *x = &c->in[0], *y = &c->out[0];
    int64_t from[HST_MAX_RANK], to[HST_MAX_RANK];
    hst__box b = {.item = hst_dtype_size(x->dtype)};
    ptrdiff_t item = (ptrdiff_t)b.item;
    hst__desc_strides(x, from);
    hst__desc_strides(y, to);
    if (hst__desc_size(x) == hst__desc_size(y)) {
        s->alias = 1;
        return HST_OK;
    }
    for (int i = 0; i < y->rank; i++) {
        int k = i - (y->rank - x->rank);
        bool moves = k >= 0 && x->dims[k] != 1;
        hst__box_loop(&b, (size_t)y->dims[i], moves ? from[k] * item : 0, to[i] * item);
    }
    hst__box_close(&b);
    return hst__box_prepare(c, s, &b, 0);
}

const hst__op hst__op_Expand = {8, HST__OPSET_MAX, 2, 2, 1, 1, false, infer, prepare};
