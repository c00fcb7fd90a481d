/* Elementary functions of vectors of f32. Polynomials are minimax fits made for these
 * ranges (Lawson's iteration); errors in the comments are of the whole function in f32
 * arithmetic. NaN stays NaN in each. Flush-to-zero may be on: results below the normal
 * range may be 0. */
#ifndef HST_KERNELS_X86_VEC_MATH_H
#define HST_KERNELS_X86_VEC_MATH_H

#include <math.h>

#include "kernels/x86/vec.h"

/** e^x = 2^n * (1 + p) for lowest <= x <= highest, n whole, |r| <= ln(2)/2. */
typedef struct v_exp_parts {
    vf n, p;
} v_exp_parts;

V_INLINE v_exp_parts v_exp_split(vf x) {
    vf n = v_round(v_mul(x, v_set(1.44269504f)));
    vf r = v_fnma(n, v_set(0.693145752f), x);
    r = v_fnma(n, v_set(1.42860677e-6f), r);
    vf q = v_fma(v_set(0.0013950537f), r, v_set(0.00836891774f));
    q = v_fma(q, r, v_set(0.041666206f));
    q = v_fma(q, r, v_set(0.166665182f));
    q = v_fma(q, r, v_set(0.5f));
    return (v_exp_parts){n, v_fma(q, v_mul(r, r), r)};
}

#if defined(__AVX512F__)
/** e^x, within 1.1 ULP; 0 and infinity beyond the range. */
V_INLINE vf v_exp(vf x) {
    v_exp_parts e = v_exp_split(v_max(v_set(-110.0f), v_min(v_set(89.0f), x)));
    return _mm512_scalef_ps(v_add(e.p, v_set(1.0f)), e.n);
}
/** e^x for x <= 0: half the clamping. */
V_INLINE vf v_exp_negative(vf x) {
    v_exp_parts e = v_exp_split(v_max(v_set(-110.0f), x));
    return _mm512_scalef_ps(v_add(e.p, v_set(1.0f)), e.n);
}
V_INLINE vf v_exp2_whole(vf n) { return _mm512_scalef_ps(v_set(1.0f), n); }
#else
/** 2^n for -126 <= n <= 127; 0 for -127. */
V_INLINE vf v_exp2_whole(vf n) {
    return v_as_float(vi_shl(vi_add(v_to_int(n), vi_set(127)), 23));
}
/* 2^(n-1) twice, as n reaches 128; results below 1.7e-38 are 0. */
V_INLINE vf v_exp(vf x) {
    v_exp_parts e = v_exp_split(v_max(v_set(-87.68f), v_min(v_set(89.0f), x)));
    vf half = v_exp2_whole(v_sub(e.n, v_set(1.0f)));
    vf y = v_mul(v_add(e.p, v_set(1.0f)), half);
    return v_add(y, y);
}
/* From -88.03 (n = -127) down the power is 0. */
V_INLINE vf v_exp_negative(vf x) {
    v_exp_parts e = v_exp_split(v_max(v_set(-88.3f), x));
    vf s = v_exp2_whole(e.n);
    return v_fma(e.p, s, s);
}
#endif

/** e^x - 1 for -87 <= x <= 88, within 2 ULP. */
V_INLINE vf v_expm1(vf x) {
    v_exp_parts e = v_exp_split(x);
    vf s = v_exp2_whole(e.n);
    return v_fma(s, e.p, v_sub(s, v_set(1.0f)));
}

/** Within 3 ULP. */
V_INLINE vf v_sigmoid(vf x) {
    vf one = v_set(1.0f);
    return v_div(one, v_add(one, v_exp(v_xor(x, v_set(-0.0f)))));
}

/** t / (t + 2) with t = e^(2x) - 1, which is exact near 0; within 4 ULP. */
V_INLINE vf v_tanh(vf x) {
    vf t = v_expm1(v_max(v_set(-19.0f), v_min(v_set(19.0f), v_add(x, x))));
    return v_div(t, v_add(t, v_set(2.0f)));
}

/** log(erfc(t)) for 0 <= t <= 5.2, error 2e-7 at 0 growing to 2e-6. */
V_INLINE vf v_log_erfc(vf t) {
    vf p = v_fma(v_set(3.23490505e-08f), t, v_set(-1.00465049e-06f));
    p = v_fma(p, t, v_set(1.36436132e-05f));
    p = v_fma(p, t, v_set(-0.000105246101f));
    p = v_fma(p, t, v_set(0.000489995027f));
    p = v_fma(p, t, v_set(-0.00120801265f));
    p = v_fma(p, t, v_set(-0.000601562555f));
    p = v_fma(p, t, v_set(0.0198683738f));
    p = v_fma(p, t, v_set(-0.103150652f));
    p = v_fma(p, t, v_set(-0.636522234f));
    p = v_fma(p, t, v_set(-1.12838892f));
    return v_fma(p, t, v_set(1.60544311e-07f));
}

/** The part of the normal distribution beyond |x|: erfc(|x| / sqrt(2)) / 2. */
V_INLINE vf v_normal_tail(vf x) {
    vf t = v_mul(v_abs(x), v_set(0.707106781f));
    return v_mul(v_set(0.5f), v_exp_negative(v_log_erfc(v_min(v_set(5.2f), t))));
}

/** Within 4 ULP: a series near 0, 1 - erfc elsewhere. */
V_INLINE vf v_erf(vf x) {
    vf s = v_mul(x, x), t = v_abs(x);
    vf p = v_fma(v_set(7.8890975e-05f), s, v_set(-0.00080208346f));
    p = v_fma(p, s, v_set(0.00518953458f));
    p = v_fma(p, s, v_set(-0.0268544442f));
    p = v_fma(p, s, v_set(0.112836002f));
    p = v_fma(p, s, v_set(-0.376126271f));
    p = v_fma(p, s, v_set(0.128379166f));
    vf near = v_fma(p, x, x);
    vf c = v_min(v_set(5.2f), t);
    vf far = v_sub(v_set(1.0f), v_exp_negative(v_log_erfc(c)));
    return v_pick(v_gt(t, v_set(0.975f)), v_sign_of(far, x), near);
}

/** log(1 + u) for 0 <= u <= 1, within 3 ULP. */
V_INLINE vf v_log1p_unit(vf u) {
    vf p = v_fma(v_set(-0.00324374069f), u, v_set(0.0198501793f));
    p = v_fma(p, u, v_set(-0.056957122f));
    p = v_fma(p, u, v_set(0.106034101f));
    p = v_fma(p, u, v_set(-0.153054476f));
    p = v_fma(p, u, v_set(0.196758887f));
    p = v_fma(p, u, v_set(-0.249541237f));
    p = v_fma(p, u, v_set(0.333299614f));
    p = v_fma(p, u, v_set(-0.499999024f));
    p = v_fma(p, u, v_set(0.999999995f));
    return v_mul(p, u);
}

/** x = m * 2^e with sqrt(1/2) <= m < sqrt(2); log(m) by polynomial. Within 1.5 ULP;
 * log(0) = -Inf, of negative numbers NaN. Subnormals count as 0 while flushed. */
V_INLINE vf v_log(vf x) {
    vf tiny = v_set(1.17549435e-38f), shift = v_zero();
    vm small = v_lt(x, tiny);
    vf up = v_pick(small, v_mul(x, v_set(0x1p24f)), x);
    shift = v_pick(small, v_set(-24.0f), shift);
    vi bits = v_as_int(up);
    /* The exponent such that the mantissa lies around 1. */
    vi e = vi_shr(vi_sub(bits, vi_set(0x3f3504f3)), 23);
    vf m = v_as_float(vi_sub(bits, vi_shl(e, 23)));
    vf n = v_add(vi_to_float(e), shift), r = v_sub(m, v_set(1.0f));
    vf p = v_fma(v_set(-0.0763438751f), r, v_set(0.127654278f));
    p = v_fma(p, r, v_set(-0.131620042f));
    p = v_fma(p, r, v_set(0.142013687f));
    p = v_fma(p, r, v_set(-0.166231445f));
    p = v_fma(p, r, v_set(0.200012359f));
    p = v_fma(p, r, v_set(-0.250008268f));
    p = v_fma(p, r, v_set(0.333333317f));
    vf r2 = v_mul(r, r);
    vf y =
        v_fma(v_mul(p, r), r2, v_fma(n, v_set(1.42860677e-6f), v_mul(v_set(-0.5f), r2)));
    y = v_add(v_fma(n, v_set(0.693145752f), r), y);
    y = v_pick(v_eq(x, v_set(INFINITY)), x, y);
    y = v_pick(v_eq(up, v_zero()), v_set(-INFINITY), y);
    y = v_pick(v_lt(up, v_zero()), v_set(NAN), y);
    return v_pick(v_nan(x, x), x, y);
}

#endif
