/* Elementary functions of one f32 without branches, so that a compiler turns a loop over
 * them into vector code; included once by the file of each CPU level. Polynomials are
 * least-squares fits with near-equal error extremes, made for these ranges.
 * All of them keep NaN: every selection has the NaN side right. */
#ifndef HST_KERNELS_VMATH_BODY_H
#define HST_KERNELS_VMATH_BODY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/vmath.h"

#define INLINE static inline __attribute__((always_inline))

INLINE float from_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

INLINE uint32_t to_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

INLINE float fma1(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/** exp(x) = 2^n * exp(r), |r| <= ln(2)/2. Beyond the range of f32: 0 and infinity. */
INLINE float exp1(float x) {
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds to a whole number */
    float c = x > 89.0f ? 89.0f : x;
    c = c < -104.0f ? -104.0f : c;
    float t = fma1(c, 1.44269504f, shift), n = t - shift;
    float r = fma1(n, -0.693145752f, c);
    r = fma1(n, -1.42860677e-6f, r);
    float p = fma1(0.0013901262f, r, 0.00836314489f);
    p = fma1(p, r, 0.0416668537f);
    p = fma1(p, r, 0.166665773f);
    p = fma1(p, r, 0.5f);
    p = fma1(p * r, r, r) + 1.0f;
    /* 2^n in two factors, since n reaches from -150 to 128. */
    int32_t whole = (int32_t)(to_bits(t) - 0x4b400000u), half = whole >> 1;
    float s1 = from_bits((uint32_t)(half + 127) << 23);
    float s2 = from_bits((uint32_t)(whole - half + 127) << 23);
    return p * s1 * s2;
}

INLINE float sigmoid1(float x) { return 1.0f / (1.0f + exp1(-x)); }

/** Near 0 by its odd series, else by exp, so that the relative error stays small. */
INLINE float tanh1(float x) {
    float z = x * x, m = fabsf(x);
    float p = fma1(0.0022695769f, z, -0.00832326233f);
    p = fma1(p, z, 0.0217625293f);
    p = fma1(p, z, -0.0539584654f);
    p = fma1(p, z, 0.133333002f);
    p = fma1(p, z, -0.333333331f);
    float near = fma1(p * z, x, x);
    float far = copysignf(1.0f - 2.0f / (exp1(2.0f * m) + 1.0f), x);
    far = x != x ? x : far;
    return m > 0.63f ? far : near;
}

/** log(erfc(t)) for 0.95 <= t <= 4.1, by which erf is 1 in f32. */
INLINE float log_erfc1(float t) {
    float p = fma1(1.56248752e-06f, t, -4.45776391e-05f);
    p = fma1(p, t, 0.000584289918f);
    p = fma1(p, t, -0.00470079221f);
    p = fma1(p, t, 0.0262535592f);
    p = fma1(p, t, -0.109784116f);
    p = fma1(p, t, -0.632141791f);
    p = fma1(p, t, -1.13004773f);
    return fma1(p, t, 0.000274085414f);
}

INLINE float erf1(float x) {
    float s = x * x, t = fabsf(x);
    float p = fma1(7.8890975e-05f, s, -0.00080208346f);
    p = fma1(p, s, 0.00518953458f);
    p = fma1(p, s, -0.0268544442f);
    p = fma1(p, s, 0.112836002f);
    p = fma1(p, s, -0.376126271f);
    p = fma1(p, s, 0.128379166f);
    float near = fma1(p, x, x);
    float c = t > 4.1f ? 4.1f : t;
    float far = copysignf(1.0f - exp1(log_erfc1(c)), x);
    return t > 0.975f ? far : near;
}

/** log(1 + u) for 0 <= u <= 1. */
INLINE float log1p1(float u) {
    float p = fma1(-0.00324374069f, u, 0.0198501793f);
    p = fma1(p, u, -0.056957122f);
    p = fma1(p, u, 0.106034101f);
    p = fma1(p, u, -0.153054476f);
    p = fma1(p, u, 0.196758887f);
    p = fma1(p, u, -0.249541237f);
    p = fma1(p, u, 0.333299614f);
    p = fma1(p, u, -0.499999024f);
    p = fma1(p, u, 0.999999995f);
    return p * u;
}

INLINE float softplus1(float x) {
    float positive = x < 0.0f ? 0.0f : x;
    return positive + log1p1(exp1(-fabsf(x)));
}

/** exp(x) - 1 for x <= 0 (a * expm1 of ELU); the series where exp would cancel. */
INLINE float expm1_1(float x) {
    float p = fma1(0.0013901262f, x, 0.00836314489f);
    p = fma1(p, x, 0.0416668537f);
    p = fma1(p, x, 0.166665773f);
    p = fma1(p, x, 0.5f);
    float near = fma1(p * x, x, x);
    return x < -0.34f ? exp1(x) - 1.0f : near;
}

INLINE float clip01(float y) {
    y = y < 0.0f ? 0.0f : y;
    return y > 1.0f ? 1.0f : y;
}

/** x * gate with the limits at the infinities; rises says on which side the gate is 1. */
INLINE float gated1(float x, float gate, int rises) {
    float y = x * gate;
    float low = rises ? -3.0e38f : 3.0e38f;
    int gone = rises ? x < low : x > low;
    return gone ? 0.0f : y;
}

INLINE float relu1(float x, const hst__act *p) {
    (void)p;
    return x < 0.0f ? 0.0f : x;
}
INLINE float clip1(float x, const hst__act *p) {
    x = x < p->a ? p->a : x;
    return x > p->b ? p->b : x;
}
INLINE float leaky1(float x, const hst__act *p) { return x < 0.0f ? p->a * x : x; }
INLINE float silu1(float x, const hst__act *p) {
    return gated1(x, sigmoid1(p->a * x), p->a > 0);
}
INLINE float hardsigmoid1(float x, const hst__act *p) {
    return clip01(fma1(p->a, x, p->b));
}
INLINE float hardswish1(float x, const hst__act *p) {
    return gated1(x, clip01(fma1(p->a, x, p->b)), p->a > 0);
}
INLINE float gelu1(float x, const hst__act *p) {
    (void)p;
    return gated1(x, fma1(0.5f, erf1(x * 0.707106781f), 0.5f), 1);
}
INLINE float gelu_tanh1(float x, const hst__act *p) {
    (void)p;
    float inner = 0.797884561f * fma1(0.044715f * x * x, x, x);
    return gated1(x, sigmoid1(2.0f * inner), 1);
}
/** tanh(softplus(x)) = n / (n + 2) with n = e^x (e^x + 2). */
INLINE float mish1(float x, const hst__act *p) {
    (void)p;
    float e = exp1(x > 20.0f ? 20.0f : x), n = e * (e + 2.0f);
    return x > 20.0f ? x : gated1(x, n / (n + 2.0f), 1);
}
INLINE float elu1(float x, const hst__act *p) { return x < 0.0f ? p->a * expm1_1(x) : x; }
INLINE float selu1(float x, const hst__act *p) {
    return x > 0.0f ? p->b * x : p->b * p->a * expm1_1(x);
}
INLINE float softsign1(float x, const hst__act *p) {
    (void)p;
    float y = x / (1.0f + fabsf(x)), limit = copysignf(1.0f, x);
    return fabsf(x) > 3.0e38f ? limit : y;
}

#endif
