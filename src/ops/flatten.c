#include "ops/view.h"

static hst_status infer(hst__op_ctx *c) {
    int axis;
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = hst__op_axis(c, hst__attr_int(c->node, "axis", 1), c->in[0].rank, true,
                          &axis);
    if (st)
        return st;
    int64_t dims[2] = {(int64_t)hst__desc_span(&c->in[0], 0, axis),
                       (int64_t)hst__desc_span(&c->in[0], axis, c->in[0].rank)};
    return hst__op_set_out(c, 0, c->in[0].dtype, 2, dims);
}

const hst__op hst__op_Flatten = {7, HST__OPSET_MAX, 1,     1,                1,
                                 1, false,          infer, hst__view_prepare};
