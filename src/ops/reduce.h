/* Reductions over any set of axes. */
#ifndef HST_OPS_REDUCE_H
#define HST_OPS_REDUCE_H

#include "ops/op.h"

typedef enum hst__reduction {
    HST__REDUCE_SUM,
    HST__REDUCE_MEAN,
    HST__REDUCE_MAX,
    HST__REDUCE_MIN,
    HST__REDUCE_PROD,
    HST__REDUCE_L1,
    HST__REDUCE_L2,
    HST__REDUCE_SUM_SQUARE,
    HST__REDUCE_LOG_SUM,
    HST__REDUCE_LOG_SUM_EXP,
} hst__reduction;

/** Opset from which the axes are an input: 13 for ReduceSum, 18 for the others. */
hst_status hst__reduce_infer(hst__op_ctx *c, int axes_input_since);
hst_status hst__reduce_prepare(hst__op_ctx *c, hst__step *s, hst__reduction kind,
                               int axes_input_since);

#define HST__REDUCE_OP(symbol, kind, since)                                                \
    static hst_status infer(hst__op_ctx *c) { return hst__reduce_infer(c, since); }        \
    static hst_status prepare(hst__op_ctx *c, hst__step *s) {                              \
        return hst__reduce_prepare(c, s, kind, since);                                     \
    }                                                                                      \
    const hst__op hst__op_##symbol = {7, HST__OPSET_MAX, 1, 2, 1, 1, false, infer, prepare};

#endif
