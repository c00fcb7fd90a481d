/* Activations on rows; included once by the file of each CPU level. */
#ifndef HST_KERNELS_X86_VMATH_F32_H
#define HST_KERNELS_X86_VMATH_F32_H

#include "kernels/vmath.h"
#include "kernels/x86/vec_math.h"

/* The larger operand comes second wherever NaN must win. */

V_INLINE vf act_NONE(vf x, const hst__act *p) {
    (void)p;
    return x;
}
V_INLINE vf act_RELU(vf x, const hst__act *p) {
    (void)p;
    return v_max(v_zero(), x);
}
V_INLINE vf act_CLIP(vf x, const hst__act *p) {
    return v_min(v_set(p->b), v_max(v_set(p->a), x));
}
V_INLINE vf act_LEAKY_RELU(vf x, const hst__act *p) {
    return v_pick(v_lt(x, v_zero()), v_mul(v_set(p->a), x), x);
}
V_INLINE vf act_SIGMOID(vf x, const hst__act *p) {
    (void)p;
    return v_sigmoid(x);
}

/** x times a gate of 0..1 that rises with slope * x; the infinity on whose side the gate
 * is 0 counts as a large number, so that the product is 0. */
V_INLINE vf gated(vf x, vf gate, float slope) {
    vf low = v_set(slope > 0 ? -3e38f : -INFINITY);
    vf high = v_set(slope < 0 ? 3e38f : INFINITY);
    return v_mul(v_min(high, v_max(low, x)), gate);
}
V_INLINE vf act_SILU(vf x, const hst__act *p) {
    return gated(x, v_sigmoid(v_mul(v_set(p->a), x)), p->a);
}
V_INLINE vf act_HARDSIGMOID(vf x, const hst__act *p) {
    vf t = v_fma(v_set(p->a), x, v_set(p->b));
    return v_min(v_set(1.0f), v_max(v_zero(), t));
}
V_INLINE vf act_HARDSWISH(vf x, const hst__act *p) {
    return gated(x, act_HARDSIGMOID(x, p), p->a);
}
V_INLINE vf act_TANH(vf x, const hst__act *p) {
    (void)p;
    return v_tanh(x);
}
/** Where the tail is over, 0; the product would be infinite at -Inf. */
V_INLINE vf act_GELU(vf x, const hst__act *p) {
    (void)p;
    vf tail = v_normal_tail(x);
    vf gate = v_pick(v_gt(x, v_zero()), v_sub(v_set(1.0f), tail), tail);
    return v_pick(v_lt(x, v_set(-7.35f)), v_zero(), v_mul(x, gate));
}
/** (1 + tanh(t)) / 2 = sigmoid(2t). */
V_INLINE vf act_GELU_TANH(vf x, const hst__act *p) {
    (void)p;
    vf cubed = v_mul(v_mul(v_set(0.0713548163f), v_mul(x, x)), x);
    vf gate = v_sigmoid(v_fma(v_set(1.59576912f), x, cubed));
    return gated(x, gate, 1);
}
/** tanh(softplus(x)) = n / (n + 2) with n = e^x (e^x + 2). */
V_INLINE vf act_MISH(vf x, const hst__act *p) {
    (void)p;
    vf e = v_exp_negative(v_min(v_set(20.0f), x)), two = v_set(2.0f);
    vf n = v_mul(e, v_add(e, two));
    return gated(x, v_div(n, v_add(n, two)), 1);
}
V_INLINE vf expm1_negative(vf x) {
    return v_expm1(v_max(v_set(-87.0f), v_min(v_zero(), x)));
}
V_INLINE vf act_ELU(vf x, const hst__act *p) {
    vf below = v_mul(v_set(p->a), expm1_negative(x));
    return v_pick(v_lt(x, v_zero()), below, x);
}
V_INLINE vf act_SOFTPLUS(vf x, const hst__act *p) {
    (void)p;
    vf minus = v_or(x, v_set(-0.0f)); /* -|x| */
    return v_add(v_max(v_zero(), x), v_log1p_unit(v_exp_negative(minus)));
}
V_INLINE vf act_SELU(vf x, const hst__act *p) {
    vf below = v_mul(v_set(p->b * p->a), expm1_negative(x));
    return v_pick(v_lt(x, v_zero()), below, v_mul(v_set(p->b), x));
}
V_INLINE vf act_SOFTSIGN(vf x, const hst__act *p) {
    (void)p;
    vf m = v_abs(x), one = v_set(1.0f);
    vf y = v_div(x, v_add(one, m));
    return v_pick(v_gt(m, v_set(3e38f)), v_sign_of(one, x), y);
}
V_INLINE vf act_ERF(vf x, const hst__act *p) {
    (void)p;
    return v_erf(x);
}
V_INLINE vf act_EXP(vf x, const hst__act *p) {
    (void)p;
    return v_exp(x);
}

V_INLINE void each(float *y, size_t n, const hst__act *act,
                   vf (*f)(vf, const hst__act *)) {
    const hst__act p = *act; /* where no store to y can reach it */
    size_t i = 0;
    for (; i + VN <= n; i += VN)
        v_store(y + i, f(v_load(y + i), &p));
    if (i < n)
        v_store_part(y + i, n - i, f(v_load_part(y + i, n - i), &p));
}

#define ROW(name, text, formula)                                                         \
    static void row_##name(float *y, size_t n, const hst__act *act) {                    \
        each(y, n, act, act_##name);                                                     \
    }
HST__ACT_LIST(ROW)
#undef ROW

#define ROW(name, text, formula) [HST__ACT_##name] = row_##name,
/** Initialises a table of HST__ACT_COUNT rows. */
#define ACT_ROWS                                                                         \
    { HST__ACT_LIST(ROW) }

#endif
