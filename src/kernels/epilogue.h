/* What a matrix product or convolution does to its sums before they are stored:
 * y = act(alpha * sum + bias + addend). */
#ifndef HST_KERNELS_EPILOGUE_H
#define HST_KERNELS_EPILOGUE_H

#include <stdbool.h>
#include <stddef.h>

/** X(name, text, formula of x with the parameters a and b). The first four are applied in
 * registers by the kernels; all others by a row function. NaN stays NaN in each. */
#define HST__ACT_LIST(X)                                                                 \
    X(NONE, "none", x)                                                                   \
    X(RELU, "relu", max(0, x))                                                           \
    X(CLIP, "clip", min(b, max(a, x)))                                                   \
    X(LEAKY_RELU, "leaky_relu", x < 0 ? a * x : x)                                       \
    X(SIGMOID, "sigmoid", 1 / (1 + exp(-x)))                                             \
    X(SILU, "silu", x / (1 + exp(-a * x))) /* a = 1; 1.702 is the quick GELU */          \
    X(HARDSIGMOID, "hardsigmoid", min(1, max(0, a *x + b)))                              \
    X(HARDSWISH, "hardswish", x *min(1, max(0, a *x + b)))                               \
    X(TANH, "tanh", tanh(x))                                                             \
    X(GELU, "gelu", x / 2 * (1 + erf(x / sqrt(2))))                                      \
    X(GELU_TANH, "gelu_tanh", x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ^ 3)))) \
    X(MISH, "mish", x *tanh(log(1 + exp(x))))                                            \
    X(ELU, "elu", x < 0 ? a * (exp(x) - 1) : x)                                          \
    X(SOFTPLUS, "softplus", log(1 + exp(x)))                                             \
    X(SELU, "selu", x > 0 ? b * x : b * a * (exp(x) - 1))                                \
    X(SOFTSIGN, "softsign", x / (1 + abs(x)))                                            \
    X(ERF, "erf", erf(x))                                                                \
    X(EXP, "exp", exp(x))

typedef enum hst__act_kind {
#define HST__ACT_ENUM(name, text, formula) HST__ACT_##name,
    HST__ACT_LIST(HST__ACT_ENUM)
#undef HST__ACT_ENUM
        HST__ACT_COUNT
} hst__act_kind;

/** An activation with its parameters. */
typedef struct hst__act {
    hst__act_kind kind;
    float a, b;
} hst__act;

/** y[i] = act(y[i]) for i in 0..n-1. */
typedef void hst__act_row(float *y, size_t n, const hst__act *act);

/** The zero value with alpha = 1 does nothing: hst__epilogue e = HST__EPILOGUE_NONE. */
typedef struct hst__epilogue {
    float alpha;       /**< factor of the sum */
    const float *bias; /**< [N] added to each row, or NULL */
    const float
        *addend; /**< [M, N] with row stride ldd, or NULL; may be the output itself
                      (same address, same stride), else must not overlap it */
    size_t ldd;  /**< elements from one row of addend to the next */
    hst__act act;
    hst__act_row *row; /**< must be given when act is not applied in registers */
} hst__epilogue;

#define HST__EPILOGUE_NONE                                                               \
    { .alpha = 1.0f }

/** "relu" ...; "" for NONE and unknown values. */
const char *hst__act_text(hst__act_kind kind);

/** True for the kinds that kernels apply in registers, without a row function. */
static inline bool hst__act_in_registers(hst__act_kind kind) {
    return kind <= HST__ACT_LEAKY_RELU;
}

#endif
