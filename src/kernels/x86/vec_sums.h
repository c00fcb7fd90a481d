/* Sums over contiguous f32. Within a block the lanes of four vectors are summed in f32,
 * the blocks in double, so that the error does not grow with the length. The order
 * depends on the length alone. */
#ifndef HST_KERNELS_X86_VEC_SUMS_H
#define HST_KERNELS_X86_VEC_SUMS_H

#include "kernels/x86/vec.h"

enum { V_BLOCK = 4096 };

/* Calls of their own: inlined among other code, their sums leave the registers. */
#define V_CALL static __attribute__((noinline, unused))

/** A mean in two parts, so that x - mean keeps its bits where the mean is large. */
typedef struct v_mean {
    float high, low;
} v_mean;

V_INLINE v_mean v_mean_of(double mean) {
    float high = (float)mean;
    /* The mean of infinities has no low part. */
    float low = (float)(mean - (double)high);
    return (v_mean){high, low == low ? low : 0};
}
V_INLINE vf v_minus_mean(vf x, v_mean m) {
    return v_sub(v_sub(x, v_set(m.high)), v_set(m.low));
}

V_CALL float v_block_sum(const float *x, size_t n) {
    vf a = v_zero(), b = v_zero(), c = v_zero(), d = v_zero();
    size_t i = 0;
    for (; i + 4 * VN <= n; i += 4 * VN) {
        a = v_add(a, v_load(x + i));
        b = v_add(b, v_load(x + i + VN));
        c = v_add(c, v_load(x + i + 2 * VN));
        d = v_add(d, v_load(x + i + 3 * VN));
    }
    for (; i + VN <= n; i += VN)
        a = v_add(a, v_load(x + i));
    if (i < n)
        b = v_add(b, v_load_part(x + i, n - i));
    return v_sum(v_add(v_add(a, b), v_add(c, d)));
}

V_INLINE double v_sum_of(const float *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i += V_BLOCK)
        sum += (double)v_block_sum(x + i, n - i < V_BLOCK ? n - i : V_BLOCK);
    return sum;
}

/** Sums of x - m and of its square. */
typedef struct v_moments {
    double first, second;
} v_moments;

V_CALL v_moments v_block_moments(const float *x, size_t n, v_mean m) {
    vf s = v_zero(), t = s, a = s, b = s;
    size_t i = 0;
    for (; i + 2 * VN <= n; i += 2 * VN) {
        vf u = v_minus_mean(v_load(x + i), m), v = v_minus_mean(v_load(x + i + VN), m);
        s = v_add(s, u);
        t = v_add(t, v);
        a = v_fma(u, u, a);
        b = v_fma(v, v, b);
    }
    if (i + VN <= n) {
        vf u = v_minus_mean(v_load(x + i), m);
        s = v_add(s, u);
        a = v_fma(u, u, a);
        i += VN;
    }
    if (i < n) {
        vf u = v_part(v_minus_mean(v_load_part(x + i, n - i), m), n - i);
        t = v_add(t, u);
        b = v_fma(u, u, b);
    }
    return (v_moments){(double)v_sum(v_add(s, t)), (double)v_sum(v_add(a, b))};
}

V_INLINE v_moments v_moments_of(const float *x, size_t n, v_mean m) {
    v_moments sum = {0, 0};
    for (size_t i = 0; i < n; i += V_BLOCK) {
        v_moments block = v_block_moments(x + i, n - i < V_BLOCK ? n - i : V_BLOCK, m);
        sum.first += block.first;
        sum.second += block.second;
    }
    return sum;
}

/** Mean and variance of n values whose moments around m are given: what rounding left in
 * the mean is taken out again. Returns the variance. */
V_INLINE double v_settle(double n, v_moments around, v_mean *m) {
    double rest = around.first / n, variance = around.second / n - rest * rest;
    *m = v_mean_of((double)m->high + (double)m->low + rest);
    return variance < 0 ? 0 : variance;
}

#endif
