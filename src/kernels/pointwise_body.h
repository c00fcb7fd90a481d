/* Loops that a compiler turns into vector code; included once by the file of each level.
 */
#ifndef HST_KERNELS_POINTWISE_BODY_H
#define HST_KERNELS_POINTWISE_BODY_H

#include <math.h>

#include "kernels/pointwise.h"

#define BINARY(name, expression)                                                         \
    static void row_##name(void *y, const void *pa, const void *pb, size_t n, size_t sa, \
                           size_t sb) {                                                  \
        float *o = y;                                                                    \
        const float *x = pa, *z = pb;                                                    \
        if (sa && sb)                                                                    \
            for (size_t i = 0; i < n; i++) {                                             \
                const float a = x[i], b = z[i];                                          \
                o[i] = expression;                                                       \
            }                                                                            \
        else if (sa)                                                                     \
            for (size_t i = 0; i < n; i++) {                                             \
                const float a = x[i], b = z[0];                                          \
                o[i] = expression;                                                       \
            }                                                                            \
        else if (sb)                                                                     \
            for (size_t i = 0; i < n; i++) {                                             \
                const float a = x[0], b = z[i];                                          \
                o[i] = expression;                                                       \
            }                                                                            \
        else                                                                             \
            for (size_t i = 0; i < n; i++) {                                             \
                const float a = x[0], b = z[0];                                          \
                o[i] = expression;                                                       \
            }                                                                            \
    }
HST__POINTWISE_BINARY_LIST(BINARY)
#undef BINARY

#define UNARY(name, expression)                                                          \
    static void row_##name(void *y, const void *from, size_t n, const void *param) {     \
        float *o = y;                                                                    \
        const float *in = from;                                                          \
        (void)param;                                                                     \
        for (size_t i = 0; i < n; i++) {                                                 \
            const float x = in[i];                                                       \
            o[i] = expression;                                                           \
        }                                                                                \
    }
HST__POINTWISE_UNARY_LIST(UNARY)
#undef UNARY

enum { LANES = 16, BLOCK = 1024 };

static float sum_row(const float *x, size_t n) {
    double total = 0;
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t count = n - from < BLOCK ? n - from : BLOCK, i = 0;
        float lane[LANES] = {0};
        for (; i + LANES <= count; i += LANES)
            for (size_t k = 0; k < LANES; k++)
                lane[k] += x[from + i + k];
        for (size_t k = 0; i < count; i++, k++)
            lane[k] += x[from + i];
        for (size_t k = 0; k < LANES; k++)
            total += (double)lane[k];
    }
    return (float)total;
}

static inline float larger(float a, float b) { return b > a || b != b ? b : a; }

static float max_row(const float *x, size_t n) {
    float lane[LANES], most = -INFINITY;
    size_t i = 0;
    for (size_t k = 0; k < LANES; k++)
        lane[k] = -INFINITY;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            lane[k] = larger(lane[k], x[i + k]);
    for (; i < n; i++)
        most = larger(most, x[i]);
    for (size_t k = 0; k < LANES; k++)
        most = larger(most, lane[k]);
    return most;
}

#define POINTWISE_ENTRY(f, expression) .f = row_##f,
#define POINTWISE_TABLE(text)                                                            \
    {                                                                                    \
        .name = text,                                                                    \
        HST__POINTWISE_BINARY_LIST(POINTWISE_ENTRY)                                      \
            HST__POINTWISE_UNARY_LIST(POINTWISE_ENTRY)                                   \
                .sum_row = sum_row,                                                      \
        .max_row = max_row                                                               \
    }

#endif
