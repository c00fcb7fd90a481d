/* Activations: operators that apply one hst__act to every element. */
#ifndef HST_OPS_ACTIVATION_H
#define HST_OPS_ACTIVATION_H

#include "kernels/epilogue.h"
#include "ops/unary.h"

/** The step applies `act` to input 0, which must be f32 or f64. */
hst_status hst__activation_prepare(hst__op_ctx *c, hst__step *s, hst__act act);

/** Defines an operator whose activation is `act`, an expression of the node n. */
#define HST__ACTIVATION_OP(symbol, first, ...)                                           \
    static hst_status prepare(hst__op_ctx *c, hst__step *s) {                            \
        const hst__node *n = c->node;                                                    \
        (void)n;                                                                         \
        return hst__activation_prepare(c, s, (hst__act){__VA_ARGS__});                   \
    }                                                                                    \
    const hst__op hst__op_##symbol = {                                                   \
        first, HST__OPSET_MAX, 1, 1, 1, 1, false, hst__unary_infer, prepare};

#endif
