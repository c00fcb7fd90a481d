#include "ops/broadcast.h"

#include <string.h>

/** Strides of an operand over the dimensions of the output, 0 where it is repeated. */
static void operand_strides(const hst__desc *out, const hst__desc *in,
                            size_t stride[HST_MAX_RANK]) {
    size_t n = 1;
    for (int d = out->rank - 1, k = in->rank - 1; d >= 0; d--, k--) {
        size_t extent = k >= 0 ? (size_t)in->dims[k] : 1;
        stride[d] = extent == 1 ? 0 : n;
        n *= extent;
    }
}

/** True where loop d can swallow the one inside it, for every operand. */
static bool mergeable(const hst__bcast *b, int d, int inside) {
    for (int k = 0; k < b->n_in; k++)
        if (b->stride[k][d] != b->stride[k][inside] * b->dims[inside])
            return false;
    return true;
}

void hst__bcast_init(hst__bcast *b, const hst__desc *out, const hst__desc *in,
                     int n_in) {
    size_t full[HST__BCAST_IN][HST_MAX_RANK];
    *b = (hst__bcast){.n_in = n_in, .row = 1};
    for (int k = 0; k < n_in; k++)
        operand_strides(out, &in[k], full[k]);
    for (int d = 0; d < out->rank; d++) {
        if (out->dims[d] == 1)
            continue;
        int at = b->rank++;
        b->dims[at] = (size_t)out->dims[d];
        for (int k = 0; k < n_in; k++)
            b->stride[k][at] = full[k][d];
        if (at > 0 && mergeable(b, at - 1, at)) {
            b->rank--;
            b->dims[at - 1] *= b->dims[at];
            for (int k = 0; k < n_in; k++)
                b->stride[k][at - 1] = b->stride[k][at];
        }
    }
    if (b->rank == 0)
        return;
    b->rank--;
    b->row = b->dims[b->rank];
    for (int k = 0; k < n_in; k++)
        b->inner[k] = b->stride[k][b->rank];
}

void hst__bcast_seek(const hst__bcast *b, size_t row, hst__bcast_at *at) {
    memset(at, 0, sizeof *at);
    for (int d = b->rank - 1; d >= 0; d--) {
        at->index[d] = row % b->dims[d];
        row /= b->dims[d];
        for (int k = 0; k < b->n_in; k++)
            at->offset[k] += at->index[d] * b->stride[k][d];
    }
}
