/* The table of activation rows; included once by the file of each CPU level. */
#ifndef HST_KERNELS_VMATH_ROWS_H
#define HST_KERNELS_VMATH_ROWS_H

#include "kernels/vmath_body.h"

#define VMATH_ROW(name, formula)                                                         \
    static void row_##name(float *y, size_t n, const hst__act *act) {                    \
        const hst__act p = *act;                                                         \
        (void)p;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                 \
            float x = y[i];                                                              \
            y[i] = formula;                                                              \
        }                                                                                \
    }

VMATH_ROW(none, x)
VMATH_ROW(relu, relu1(x, &p))
VMATH_ROW(clip, clip1(x, &p))
VMATH_ROW(leaky, leaky1(x, &p))
VMATH_ROW(sigmoid, sigmoid1(x))
VMATH_ROW(silu, silu1(x, &p))
VMATH_ROW(hardsigmoid, hardsigmoid1(x, &p))
VMATH_ROW(hardswish, hardswish1(x, &p))
VMATH_ROW(tanh, tanh1(x))
VMATH_ROW(gelu, gelu1(x, &p))
VMATH_ROW(gelu_tanh, gelu_tanh1(x, &p))
VMATH_ROW(mish, mish1(x, &p))
VMATH_ROW(elu, elu1(x, &p))
VMATH_ROW(softplus, softplus1(x))
VMATH_ROW(selu, selu1(x, &p))
VMATH_ROW(softsign, softsign1(x, &p))
VMATH_ROW(erf, erf1(x))
VMATH_ROW(exp, exp1(x))

#define VMATH_TABLE                                                                      \
    {                                                                                    \
        [HST__ACT_NONE] = row_none, [HST__ACT_RELU] = row_relu,                          \
        [HST__ACT_CLIP] = row_clip, [HST__ACT_LEAKY_RELU] = row_leaky,                   \
        [HST__ACT_SIGMOID] = row_sigmoid, [HST__ACT_SILU] = row_silu,                    \
        [HST__ACT_HARDSIGMOID] = row_hardsigmoid, [HST__ACT_HARDSWISH] = row_hardswish,  \
        [HST__ACT_TANH] = row_tanh, [HST__ACT_GELU] = row_gelu,                          \
        [HST__ACT_GELU_TANH] = row_gelu_tanh, [HST__ACT_MISH] = row_mish,                \
        [HST__ACT_ELU] = row_elu, [HST__ACT_SOFTPLUS] = row_softplus,                    \
        [HST__ACT_SELU] = row_selu, [HST__ACT_SOFTSIGN] = row_softsign,                  \
        [HST__ACT_ERF] = row_erf, [HST__ACT_EXP] = row_exp,                              \
    }

#endif
