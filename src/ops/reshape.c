#include "ops/view.h"

/** Fills in the dimension that was given as -1; HST_E_SHAPE where none fits. */
static hst_status complete(hst__op_ctx *c, int64_t *dims, int rank, int unknown) {
    size_t known = 1, total = hst__desc_size(&c->in[0]);
    char text[HST__DESC_TEXT];
    hst__desc wish = {.dtype = c->in[0].dtype, .rank = rank};
    for (int i = 0; i < rank; i++) {
        wish.dims[i] = dims[i];
        if (i != unknown && !hst__mul(known, (size_t)dims[i], &known))
            return hst__op_fail(c, HST_E_LIMIT, "the new shape overflows");
    }
    if (unknown >= 0 && known > 0 && total % known == 0)
        dims[unknown] = (int64_t)(total / known);
    else if (unknown >= 0 || known != total)
        return hst__op_fail(c, HST_E_SHAPE, "%zu elements do not fit the shape %s", total,
                            hst__desc_format(&wish, text, sizeof text));
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    int64_t dims[HST_MAX_RANK];
    int rank, unknown = -1;
    bool allow_zero = hst__attr_int(c->node, "allowzero", 0) != 0;
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__op_ints(c, 1, dims, HST_MAX_RANK, &rank);
    for (int i = 0; !st && i < rank; i++) {
        if (dims[i] == 0 && !allow_zero) {
            if (i >= c->in[0].rank)
                return hst__op_fail(c, HST_E_SHAPE,
                                    "dimension %d is to be copied from an input of rank "
                                    "%d",
                                    i, c->in[0].rank);
            dims[i] = c->in[0].dims[i];
        } else if (dims[i] == -1 && unknown < 0) {
            unknown = i;
        } else if (dims[i] < 0) {
            return hst__op_fail(c, HST_E_SHAPE, "dimension %d of the new shape is %lld",
                                i, (long long)dims[i]);
        }
    }
    if (!st)
        st = complete(c, dims, rank, unknown);
    return st ? st : hst__op_set_out(c, 0, c->in[0].dtype, rank, dims);
}

const hst__op hst__op_Reshape = {7, HST__OPSET_MAX, 2,     2,                1,
                                 1, false,          infer, hst__view_prepare};
