#include <math.h>

#include "kernels/vmath.h"

static double hard_sigmoid(double x, const hst__act *act) {
    double y = (double)act->a * x + (double)act->b;
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

/** log(1 + exp(x)) without overflow. */
static double softplus(double x) { return (x > 0 ? x : 0) + log1p(exp(x > 0 ? -x : x)); }

/** x times a gate in 0..1 that falls to 0 faster than x grows: 0 and x at the infinities.
 */
static double gated(double x, double gate, double sign) {
    return isinf(x) ? (x * sign < 0 ? 0 : x) : x * gate;
}

double hst__act_value(double x, const hst__act *act) {
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
        return gated(x, 1 / (1 + exp(-a * x)), a);
    case HST__ACT_HARDSIGMOID:
        return hard_sigmoid(x, act);
    case HST__ACT_HARDSWISH:
        return gated(x, hard_sigmoid(x, act), a);
    case HST__ACT_TANH:
        return tanh(x);
    case HST__ACT_GELU:
        return gated(x, 0.5 * erfc(-x * 0.70710678118654752440), 1);
    case HST__ACT_GELU_TANH:
        return gated(
            x, 0.5 * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))), 1);
    case HST__ACT_MISH:
        return gated(x, tanh(softplus(x)), 1);
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

void hst__act_f32__ref(float *y, size_t n, const hst__act *act) {
    for (size_t i = 0; i < n; i++)
        y[i] = (float)hst__act_value((double)y[i], act);
}
