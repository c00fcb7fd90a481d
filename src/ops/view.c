#include "ops/view.h"

hst_status hst__view_axes(hst__op_ctx *c, int input, int rank, int axes[HST_MAX_RANK],
                          int *count) {
    int64_t values[HST_MAX_RANK];
    unsigned seen = 0;
    *count = -1;
    if (hst__op_has(c, input)) {
        hst_status st = hst__op_ints(c, input, values, HST_MAX_RANK, count);
        if (st)
            return st;
    } else {
        size_t n;
        const int64_t *attr = hst__attr_ints(c->node, "axes", &n);
        if (!hst__attr_get(c->node, "axes"))
            return HST_OK;
        if (n > HST_MAX_RANK)
            return hst__op_fail(c, HST_E_LIMIT, "%zu axes; at most %d", n, HST_MAX_RANK);
        *count = (int)n;
        for (size_t i = 0; i < n; i++)
            values[i] = attr[i];
    }
    for (int i = 0; i < *count; i++) {
        hst_status st = hst__op_axis(c, values[i], rank, false, &axes[i]);
        if (st)
            return st;
        if (seen >> axes[i] & 1)
            return hst__op_fail(c, HST_E_SHAPE, "axis %d is given twice", axes[i]);
        seen |= 1u << axes[i];
    }
    return HST_OK;
}
