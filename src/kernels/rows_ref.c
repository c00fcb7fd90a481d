/* The definitions, in double. */
#include <math.h>

#include "base/cpu.h"
#include "kernels/rows.h"

static void softmax_row(const float *x, float *y, size_t n, bool logarithm) {
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = x[i] > most || isnan(x[i]) ? (double)x[i] : most;
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(logarithm ? x[i] - most - log(sum) : exp(x[i] - most) / sum);
}

static void norm_row(const hst__norm_row_args *a) {
    double mean = 0, square = 0;
    for (size_t i = 0; a->centre && i < a->n; i++)
        mean += a->x[i];
    mean /= (double)a->n;
    for (size_t i = 0; i < a->n; i++)
        square += (a->x[i] - mean) * (a->x[i] - mean);
    double scale = 1 / sqrt(square / (double)a->n + (double)a->eps);
    for (size_t i = 0; i < a->n; i++)
        a->y[i] =
            (float)((a->x[i] - mean) * scale * (double)(a->gamma ? a->gamma[i] : 1) +
                    (double)(a->beta ? a->beta[i] : 0));
    if (a->mean)
        *a->mean = (float)mean;
    if (a->inv_std)
        *a->inv_std = (float)scale;
}

const hst__rows_f32 hst__rows_f32__ref = {"rows_f32__ref", softmax_row, norm_row};

const hst__rows_f32 *hst__rows_pick(hst_cpu_level level) {
#if defined(__x86_64__)
    level = hst__cpu_resolve(level);
    if (level >= HST_CPU_AVX512)
        return &hst__rows_f32__avx512;
    if (level >= HST_CPU_AVX2)
        return &hst__rows_f32__avx2;
#else
    (void)level;
#endif
    return &hst__rows_f32__ref;
}
