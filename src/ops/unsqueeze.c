#include "ops/view.h"

/** How many axes are given, before they can be normalised. */
static hst_status count_axes(hst__op_ctx *c, int *count) {
    int64_t values[HST_MAX_RANK];
    size_t n;
    if (hst__op_has(c, 1))
        return hst__op_ints(c, 1, values, HST_MAX_RANK, count);
    hst__attr_ints(c->node, "axes", &n);
    *count = n > HST_MAX_RANK ? HST_MAX_RANK : (int)n;
    return hst__attr_get(c->node, "axes")
               ? HST_OK
               : hst__op_fail(c, HST_E_FORMAT, "the axes are missing");
}

static hst_status infer(hst__op_ctx *c) {
    int axes[HST_MAX_RANK], count;
    int64_t dims[HST_MAX_RANK];
    unsigned fresh = 0;
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = count_axes(c, &count);
    if (st)
        return st;
    int rank = c->in[0].rank + count;
    if (rank > HST_MAX_RANK)
        return hst__op_fail(c, HST_E_LIMIT, "the output would have rank %d; at most %d",
                            rank, HST_MAX_RANK);
    st = hst__view_axes(c, 1, rank, axes, &count);
    if (st)
        return st;
    for (int i = 0; i < count; i++)
        fresh |= 1u << axes[i];
    for (int d = 0, k = 0; d < rank; d++)
        dims[d] = fresh >> d & 1 ? 1 : c->in[0].dims[k++];
    return hst__op_set_out(c, 0, c->in[0].dtype, rank, dims);
}

const hst__op hst__op_Unsqueeze = {7, HST__OPSET_MAX, 1,     2,                1,
                                   1, false,          infer, hst__view_prepare};
