/* Softmax and layer normalisation of rows; included once by the file of each CPU level.
 */
#ifndef HST_KERNELS_X86_ROWS_F32_H
#define HST_KERNELS_X86_ROWS_F32_H

#include "kernels/rows.h"
#include "kernels/x86/vec_math.h"
#include "kernels/x86/vec_sums.h"

/* The largest value need not be NaN where a value is: the sum of powers will be. */
V_INLINE float row_max(const float *x, size_t n) {
    vf a = v_set(-INFINITY), b = a;
    size_t i = 0;
    for (; i + 2 * VN <= n; i += 2 * VN) {
        a = v_max(v_load(x + i), a);
        b = v_max(v_load(x + i + VN), b);
    }
    for (; i + VN <= n; i += VN)
        a = v_max(v_load(x + i), a);
    if (i < n)
        b = v_max(v_load_part_or(x + i, n - i, b), b);
    return v_largest(v_max(a, b));
}

V_INLINE vf scale_step(const float *x, const float *mask, vf scale, float *y, size_t n,
                       vf most) {
    vf v = v_mul(v_load_part(x, n), scale);
    if (mask)
        v = v_add(v, v_load_part(mask, n));
    v_store_part(y, n, v);
    return v_max(v_load_part_or(y, n, v_set(-INFINITY)), most);
}

/** y = x * scale + mask; the largest of it. */
V_INLINE float row_scale(const float *x, const float *mask, float scale, float *y,
                         size_t n) {
    vf most = v_set(-INFINITY), s = v_set(scale);
    size_t i = 0;
    for (; i + VN <= n; i += VN)
        most = scale_step(x + i, mask ? mask + i : NULL, s, y + i, VN, most);
    if (i < n)
        most = scale_step(x + i, mask ? mask + i : NULL, s, y + i, n - i, most);
    return v_largest(most);
}

V_INLINE vf power_step(const float *x, float *y, size_t n, vf most) {
    vf v = v_exp_negative(v_sub(v_load_part(x, n), most));
    if (y)
        v_store_part(y, n, v);
    return v_part(v, n);
}

/** y = e^(x - most), not stored where y is NULL; the sum of it. */
V_INLINE float row_powers(const float *x, float *y, size_t n, float most) {
    vf a = v_zero(), b = v_zero(), m = v_set(most);
    size_t i = 0;
    for (; i + 2 * VN <= n; i += 2 * VN) {
        a = v_add(a, power_step(x + i, y ? y + i : NULL, VN, m));
        b = v_add(b, power_step(x + i + VN, y ? y + i + VN : NULL, VN, m));
    }
    for (; i + VN <= n; i += VN)
        a = v_add(a, power_step(x + i, y ? y + i : NULL, VN, m));
    if (i < n)
        b = v_add(b, power_step(x + i, y ? y + i : NULL, n - i, m));
    return v_sum(v_add(a, b));
}

V_INLINE void row_times(float *y, size_t n, float factor) {
    vf f = v_set(factor);
    size_t i = 0;
    for (; i + VN <= n; i += VN)
        v_store(y + i, v_mul(v_load(y + i), f));
    if (i < n)
        v_store_part(y + i, n - i, v_mul(v_load_part(y + i, n - i), f));
}

/** A row that fits a register. */
V_INLINE void short_row(vf x, float *y, size_t n, bool logarithm) {
    vf shifted = v_sub(x, v_set(v_largest(x)));
    vf power = v_exp_negative(shifted);
    float sum = v_sum(v_part(power, n));
    if (logarithm)
        v_store_part(y, n, v_sub(shifted, v_set((float)log((double)sum))));
    else
        v_store_part(y, n, v_mul(power, v_set(1.0f / sum)));
}

static void softmax_row(const float *x, float *y, size_t n, bool logarithm) {
    if (n <= VN) {
        short_row(v_load_part_or(x, n, v_set(-INFINITY)), y, n, logarithm);
        return;
    }
    float most = row_max(x, n);
    if (!logarithm) {
        row_times(y, n, 1.0f / row_powers(x, y, n, most));
        return;
    }
    vf m = v_set(most), shift = v_set((float)log((double)row_powers(x, NULL, n, most)));
    size_t i = 0;
    for (; i + VN <= n; i += VN)
        v_store(y + i, v_sub(v_sub(v_load(x + i), m), shift));
    if (i < n)
        v_store_part(y + i, n - i, v_sub(v_sub(v_load_part(x + i, n - i), m), shift));
}

static void softmax_masked(const float *x, const float *mask, float scale, float *y,
                           size_t n) {
    float most = row_scale(x, mask, scale, y, n);
    row_times(y, n, 1.0f / row_powers(y, y, n, most));
}

/** `left` columns at once. */
V_INLINE void columns(const float *x, float *y, size_t n, size_t step, size_t left,
                      bool logarithm) {
    vf most = v_set(-INFINITY), sum = v_zero();
    for (size_t k = 0; k < n; k++)
        most = v_max(v_load_part(x + k * step, left), most);
    for (size_t k = 0; k < n; k++) {
        vf shifted = v_sub(v_load_part(x + k * step, left), most);
        vf power = v_exp_negative(shifted);
        sum = v_add(sum, power);
        v_store_part(y + k * step, left, logarithm ? shifted : power);
    }
    vf last = logarithm ? v_log(sum) : v_div(v_set(1.0f), sum);
    for (size_t k = 0; k < n; k++) {
        vf v = v_load_part(y + k * step, left);
        v_store_part(y + k * step, left, logarithm ? v_sub(v, last) : v_mul(v, last));
    }
}

static void softmax_columns(const float *x, float *y, size_t n, size_t step, size_t begin,
                            size_t end, bool logarithm) {
    size_t c = begin;
    for (; c + VN <= end; c += VN)
        columns(x + c, y + c, n, step, VN, logarithm);
    if (c < end)
        columns(x + c, y + c, n, step, end - c, logarithm);
}

V_INLINE void join_step(const hst__norm_row_args *a, float *sum, size_t i, size_t n) {
    vf v = v_load_part(a->x + i, n);
    if (a->skip)
        v = v_add(v, v_load_part(a->skip + i, n));
    if (a->bias)
        v = v_add(v, v_load_part(a->bias + i, n));
    v_store_part(sum + i, n, v);
}

/** sum = x + skip + bias. */
V_INLINE void row_join(const hst__norm_row_args *a, float *sum) {
    size_t i = 0;
    for (; i + VN <= a->n; i += VN)
        join_step(a, sum, i, VN);
    if (i < a->n)
        join_step(a, sum, i, a->n - i);
}

V_INLINE void norm_step(const hst__norm_row_args *a, const float *x, v_mean m, vf scale,
                        size_t i, size_t n) {
    vf v = v_mul(v_minus_mean(v_load_part(x + i, n), m), scale);
    if (a->gamma)
        v = v_mul(v, v_load_part(a->gamma + i, n));
    if (a->beta)
        v = v_add(v, v_load_part(a->beta + i, n));
    v_store_part(a->y + i, n, v);
}

static void norm_row(const hst__norm_row_args *args) {
    const hst__norm_row_args a = *args; /* where no store can reach it */
    const float *x = a.x;
    if (a.skip || a.bias || a.sum) {
        float *sum = a.sum ? a.sum : a.y;
        row_join(&a, sum);
        x = sum;
    }
    v_mean m = {0, 0};
    double variance, n = (double)a.n;
    if (a.centre) {
        m = v_mean_of(v_sum_of(x, a.n) / n);
        variance = v_settle(n, v_moments_of(x, a.n, m), &m);
    } else {
        variance = v_moments_of(x, a.n, m).second / n;
    }
    float inv_std = (float)(1 / sqrt(variance + (double)a.eps));
    vf scale = v_set(inv_std);
    size_t i = 0;
    for (; i + VN <= a.n; i += VN)
        norm_step(&a, x, m, scale, i, VN);
    if (i < a.n)
        norm_step(&a, x, m, scale, i, a.n - i);
    if (a.mean)
        *a.mean = m.high;
    if (a.inv_std)
        *a.inv_std = inv_std;
}

#endif
