/* Operators whose output is their first input in another shape: nothing to run. */
#ifndef HST_OPS_VIEW_H
#define HST_OPS_VIEW_H

#include "ops/unary.h"

/** Output 0 is input 0. */
static inline hst_status hst__view_prepare(hst__op_ctx *c, hst__step *s) {
    (void)c;
    s->alias = 1;
    return HST_OK;
}

/** Axes of Squeeze, Unsqueeze, ReduceX, Pad ...: the attribute "axes" or input `input`,
 * normalised to 0..rank-1, each at most once. *count = -1 where neither is given. */
hst_status hst__view_axes(hst__op_ctx *c, int input, int rank, int axes[HST_MAX_RANK],
                          int *count);

#endif
