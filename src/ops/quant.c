#include "ops/quant.h"

hst_status hst__quant_axis_get(hst__op_ctx *c, hst__quant_axis *q) {
    const hst__desc *x = &c->in[0], *s = &c->in[1];
    int axis = 0;
    int64_t block = hst__attr_int(c->node, "block_size", 0);
    *q = (hst__quant_axis){.outer = 1, .axis = hst__desc_size(x), .inner = 1, .block = 1};
    if (hst__op_has(c, 2) && hst__desc_size(&c->in[2]) != hst__desc_size(s))
        return hst__op_fail(c, HST_E_SHAPE, "%zu scales and %zu zero points",
                            hst__desc_size(s), hst__desc_size(&c->in[2]));
    if (hst__desc_size(s) == 1 && block == 0)
        return HST_OK;
    hst_status st =
        hst__op_axis(c, hst__attr_int(c->node, "axis", 1), x->rank, false, &axis);
    if (st)
        return st;
    q->outer = hst__desc_span(x, 0, axis);
    q->axis = (size_t)x->dims[axis];
    q->inner = hst__desc_span(x, axis + 1, x->rank);
    q->a_stride = 1;
    if (block == 0)
        return s->rank == 1 && (size_t)s->dims[0] == q->axis
                   ? HST_OK
                   : hst__op_fail(c, HST_E_SHAPE, "%zu scales for an axis of %zu",
                                  hst__desc_size(s), q->axis);
    bool fits = block > 0 && s->rank == x->rank &&
                s->dims[axis] == x->dims[axis] / block + (x->dims[axis] % block != 0);
    for (int i = 0; fits && i < x->rank; i++)
        fits = i == axis || s->dims[i] == x->dims[i];
    if (!fits)
        return hst__op_fail(c, HST_E_SHAPE, "the scales do not fit blocks of %lld",
                            (long long)block);
    q->block = (size_t)block;
    q->a_stride = q->inner;
    q->o_stride = (size_t)s->dims[axis] * q->inner;
    q->i_stride = 1;
    return HST_OK;
}
