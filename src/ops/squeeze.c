#include "ops/view.h"

static hst_status infer(hst__op_ctx *c) {
    int axes[HST_MAX_RANK], count, rank = 0;
    int64_t dims[HST_MAX_RANK];
    unsigned drop = 0;
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = hst__view_axes(c, 1, c->in[0].rank, axes, &count);
    if (st)
        return st;
    for (int i = 0; i < count; i++) {
        if (c->in[0].dims[axes[i]] != 1)
            return hst__op_fail(c, HST_E_SHAPE, "dimension %d is %lld, not 1", axes[i],
                                (long long)c->in[0].dims[axes[i]]);
        drop |= 1u << axes[i];
    }
    for (int d = 0; d < c->in[0].rank; d++)
        if (count < 0 ? c->in[0].dims[d] != 1 : !(drop >> d & 1))
            dims[rank++] = c->in[0].dims[d];
    return hst__op_set_out(c, 0, c->in[0].dtype, rank, dims);
}

const hst__op hst__op_Squeeze = {7, HST__OPSET_MAX, 1,     2,                1,
                                 1, false,          infer, hst__view_prepare};
