/* The definitions, in double. */
#include <math.h>

#include "kernels/rows.h"

/** One softmax over n values x[i * step] * scale + mask[i]. */
static void softmax(const float *x, const float *mask, double scale, float *y, size_t n,
                    size_t step, bool logarithm) {
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        double v = x[i * step] * scale + (mask ? (double)mask[i] : 0);
        most = v > most || isnan(v) ? v : most;
    }
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i * step] * scale + (mask ? (double)mask[i] : 0) - most);
    for (size_t i = 0; i < n; i++) {
        double v = x[i * step] * scale + (mask ? (double)mask[i] : 0) - most;
        y[i * step] = (float)(logarithm ? v - log(sum) : exp(v) / sum);
    }
}

static void softmax_row(const float *x, float *y, size_t n, bool logarithm) {
    softmax(x, NULL, 1, y, n, 1, logarithm);
}

static void softmax_masked(const float *x, const float *mask, float scale, float *y,
                           size_t n) {
    softmax(x, mask, (double)scale, y, n, 1, false);
}

static void softmax_columns(const float *x, float *y, size_t n, size_t columns,
                            size_t begin, size_t end, bool logarithm) {
    for (size_t c = begin; c < end; c++)
        softmax(x + c, NULL, 1, y + c, n, columns, logarithm);
}

static void norm_row(const hst__norm_row_args *a) {
    const float *x = a->x;
    double mean = 0, square = 0;
    if (a->skip || a->bias || a->sum) {
        float *sum = a->sum ? a->sum : a->y;
        for (size_t i = 0; i < a->n; i++)
            sum[i] = x[i] + (a->skip ? a->skip[i] : 0) + (a->bias ? a->bias[i] : 0);
        x = sum;
    }
    for (size_t i = 0; a->centre && i < a->n; i++)
        mean += (double)x[i];
    mean /= (double)a->n;
    for (size_t i = 0; i < a->n; i++)
        square += ((double)x[i] - mean) * ((double)x[i] - mean);
    double scale = 1 / sqrt(square / (double)a->n + (double)a->eps);
    for (size_t i = 0; i < a->n; i++)
        a->y[i] =
            (float)(((double)x[i] - mean) * scale * (double)(a->gamma ? a->gamma[i] : 1) +
                    (double)(a->beta ? a->beta[i] : 0));
    if (a->mean)
        *a->mean = (float)mean;
    if (a->inv_std)
        *a->inv_std = (float)scale;
}

const hst__rows_f32 hst__rows_f32__ref = {"rows_f32__ref", softmax_row, softmax_masked,
                                          softmax_columns, norm_row};
