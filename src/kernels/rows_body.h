/* Row functions whose sums run in 16 fixed lanes, so that vector code keeps their order
 * and every CPU level sums alike; included once by the file of each CPU level. */
#ifndef HST_KERNELS_ROWS_BODY_H
#define HST_KERNELS_ROWS_BODY_H

#include <math.h>

#include "kernels/rows.h"
#include "kernels/vmath_body.h"

enum { LANES = 16 };

static inline float fold_sum(const float *lane) {
    float s = 0;
    for (int k = 0; k < LANES / 2; k++)
        s += lane[k] + lane[k + LANES / 2];
    return s;
}

static inline float max_of(const float *x, size_t n) {
    float lane[LANES], most;
    for (int k = 0; k < LANES; k++)
        lane[k] = -INFINITY;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] = x[i + k] > lane[k] || x[i + k] != x[i + k] ? x[i + k] : lane[k];
    most = -INFINITY;
    for (int k = 0; k < LANES; k++)
        most = lane[k] > most || lane[k] != lane[k] ? lane[k] : most;
    for (; i < n; i++)
        most = x[i] > most || x[i] != x[i] ? x[i] : most;
    return most;
}

static inline float sum_of(const float *x, size_t n) {
    float lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += x[i + k];
    for (int k = 0; i < n; i++, k++)
        lane[k] += x[i];
    return fold_sum(lane);
}

static inline float sum_of_squares(const float *x, size_t n, float mean) {
    float lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] = fma1(x[i + k] - mean, x[i + k] - mean, lane[k]);
    for (int k = 0; i < n; i++, k++)
        lane[k] = fma1(x[i] - mean, x[i] - mean, lane[k]);
    return fold_sum(lane);
}

static void softmax_row(const float *x, float *y, size_t n, bool logarithm) {
    float most = max_of(x, n);
    if (logarithm) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (double)exp1(x[i] - most);
        float shift = most + (float)log(sum);
        for (size_t i = 0; i < n; i++)
            y[i] = x[i] - shift;
        return;
    }
    for (size_t i = 0; i < n; i++)
        y[i] = exp1(x[i] - most);
    float scale = 1.0f / sum_of(y, n);
    for (size_t i = 0; i < n; i++)
        y[i] *= scale;
}

static void norm_row(const hst__norm_row_args *a) {
    const float *x = a->x, *gamma = a->gamma, *beta = a->beta;
    float *y = a->y;
    float mean = a->centre ? sum_of(x, a->n) / (float)a->n : 0;
    float variance = sum_of_squares(x, a->n, mean) / (float)a->n;
    float scale = 1.0f / sqrtf(variance + a->eps);
    if (gamma && beta)
        for (size_t i = 0; i < a->n; i++)
            y[i] = fma1((x[i] - mean) * scale, gamma[i], beta[i]);
    else
        for (size_t i = 0; i < a->n; i++)
            y[i] = (x[i] - mean) * scale * (gamma ? gamma[i] : 1) + (beta ? beta[i] : 0);
    if (a->mean)
        *a->mean = mean;
    if (a->inv_std)
        *a->inv_std = scale;
}

#endif
