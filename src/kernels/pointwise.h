/* Elementwise arithmetic and reductions of rows in f32. */
#ifndef HST_KERNELS_POINTWISE_H
#define HST_KERNELS_POINTWISE_H

#include <stddef.h>

#include "hasten/cpu.h"

/** X(name, expression of a and b). */
#define HST__POINTWISE_BINARY_LIST(X)                                                    \
    X(add, a + b)                                                                        \
    X(sub, a - b)                                                                        \
    X(mul, a *b)                                                                         \
    X(div, a / b)
/** X(name, expression of x). */
#define HST__POINTWISE_UNARY_LIST(X)                                                     \
    X(sqrt, __builtin_sqrtf(x))                                                          \
    X(abs, __builtin_fabsf(x))                                                           \
    X(neg, -x)                                                                           \
    X(reciprocal, 1.0f / x)                                                              \
    X(floor, __builtin_floorf(x))                                                        \
    X(ceil, __builtin_ceilf(x))

/** y[i] = f(a[i * sa], b[i * sb]); sa and sb are 0 or 1; y may be a or b. */
typedef void hst__pointwise_binary(void *y, const void *a, const void *b, size_t n,
                                   size_t sa, size_t sb);
/** y[i] = f(x[i]); param is not used; y may be x. */
typedef void hst__pointwise_unary(void *y, const void *x, size_t n, const void *param);

typedef struct hst__pointwise_f32 {
    const char *name;
#define HST__POINTWISE_FIELD(f, expression) hst__pointwise_binary *f;
    HST__POINTWISE_BINARY_LIST(HST__POINTWISE_FIELD)
#undef HST__POINTWISE_FIELD
#define HST__POINTWISE_FIELD(f, expression) hst__pointwise_unary *f;
    HST__POINTWISE_UNARY_LIST(HST__POINTWISE_FIELD)
#undef HST__POINTWISE_FIELD
    float (*sum_row)(const float *x, size_t n); /**< 16 lanes, blocks of 1024 in double */
    float (*max_row)(const float *x, size_t n); /**< -Inf for none; keeps NaN */
} hst__pointwise_f32;

/** NULL at the reference level, whose definition is the plain loop of the operator. */
const hst__pointwise_f32 *hst__pointwise_pick(hst_cpu_level level);
extern const hst__pointwise_f32 hst__pointwise_f32__avx2, hst__pointwise_f32__avx512;

#endif
