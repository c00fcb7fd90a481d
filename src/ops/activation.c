#include "ops/activation.h"

#include <math.h>

static double hard_sigmoid(double x, const hst__act *act) {
    double y = act->a * x + act->b;
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

/** log(1 + exp(x)) without overflow. */
static double softplus(double x) {
    return (x > 0 ? x : 0) + log1p(exp(x > 0 ? -x : x));
}

double hst__activation(double x, const hst__act *act) {
    static const double inv_sqrt2 = 0.70710678118654752440, sqrt_2_pi = 0.79788456080286536;
    double a = act->a, b = act->b;
    if (isnan(x))
        return x;
    switch (act->kind) {
    case HST__ACT_RELU:
        return x < 0 ? 0 : x;
    case HST__ACT_CLIP:
        x = x < a ? a : x;
        return x > b ? b : x;
    case HST__ACT_LEAKY_RELU:
        return x < 0 ? a * x : x;
    case HST__ACT_SIGMOID:
        return 1 / (1 + exp(-x));
    case HST__ACT_SILU:
        return isinf(x) && a * x < 0 ? 0 : x / (1 + exp(-a * x));
    case HST__ACT_HARDSIGMOID:
        return hard_sigmoid(x, act);
    case HST__ACT_HARDSWISH: {
        double gate = hard_sigmoid(x, act);
        return gate == 0 ? 0 : x * gate;
    }
    case HST__ACT_TANH:
        return tanh(x);
    case HST__ACT_GELU:
        return isinf(x) ? (x < 0 ? 0 : x) : x / 2 * (1 + erf(x * inv_sqrt2));
    case HST__ACT_GELU_TANH:
        return isinf(x) ? (x < 0 ? 0 : x)
                        : x / 2 * (1 + tanh(sqrt_2_pi * (x + 0.044715 * x * x * x)));
    case HST__ACT_MISH:
        return isinf(x) ? (x < 0 ? 0 : x) : x * tanh(softplus(x));
    case HST__ACT_ELU:
        return x < 0 ? a * expm1(x) : x;
    case HST__ACT_SOFTPLUS:
        return softplus(x);
    case HST__ACT_SELU:
        return x > 0 ? b * x : b * a * expm1(x);
    case HST__ACT_SOFTSIGN:
        return isinf(x) ? (x < 0 ? -1 : 1) : x / (1 + fabs(x));
    case HST__ACT_ERF:
        return erf(x);
    case HST__ACT_EXP:
        return exp(x);
    default:
        return x;
    }
}

#define ACTIVATION_ROW(arg, suffix, dtype, ctype)                                        \
    static void row_##suffix(void *y, const void *from, size_t n, const void *param) {   \
        ctype *o = y;                                                                    \
        const ctype *x = from;                                                           \
        for (size_t i = 0; i < n; i++)                                                   \
            o[i] = (ctype)hst__activation(x[i], param);                                  \
    }
HST__TYPES_FLOAT(ACTIVATION_ROW, )

hst_status hst__activation_prepare(hst__op_ctx *c, hst__step *s, hst__act act) {
    static hst__unary_row *const rows[HST__DTYPES] = {
        HST__TYPES_FLOAT(HST__TYPE_ENTRY, row_)};
    hst__act *param = hst__op_state(c, sizeof *param);
    if (!param)
        return hst__op_nomem(c, sizeof *param);
    *param = act;
    return hst__unary_prepare_table(c, s, rows, HST__NS_LIBM, param);
}
