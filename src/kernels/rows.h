/* Functions of whole rows of f32: softmax, layer normalisation. */
#ifndef HST_KERNELS_ROWS_H
#define HST_KERNELS_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "hasten/cpu.h"

/** y = softmax(x), or its logarithm, over n contiguous values; y may be x. A row of -Inf
 * alone, or with NaN or +Inf, gives NaN. */
typedef void hst__softmax_row(const float *x, float *y, size_t n, bool logarithm);

/** y = softmax(x * scale + mask), the row of attention; mask may be NULL; y may be x. */
typedef void hst__softmax_masked(const float *x, const float *mask, float scale, float *y,
                                 size_t n);

/** Softmax, or its logarithm, down the columns begin..end-1 of x [n, columns]; y may be
 * x. Any cutting of the columns gives the same bits. */
typedef void hst__softmax_columns(const float *x, float *y, size_t n, size_t columns,
                                  size_t begin, size_t end, bool logarithm);

/** y = (x' - mean) / sqrt(variance + eps) * gamma + beta, where x' = x + skip + bias;
 * skip, bias, gamma, beta of n or NULL; y may be x. Without `centre` the mean is taken as
 * 0 (RMS normalisation). Where not NULL, sum gets x', *mean and *inv_std get mean and
 * 1 / sqrt(variance + eps). A mean far from 0 costs no accuracy. */
typedef struct hst__norm_row_args {
    const float *x, *gamma, *beta;
    float *y;
    size_t n;
    float eps;
    bool centre;
    float *mean, *inv_std;
    const float *skip, *bias;
    float *sum;
} hst__norm_row_args;
typedef void hst__norm_row(const hst__norm_row_args *args);

typedef struct hst__rows_f32 {
    const char *name;
    hst__softmax_row *softmax;
    hst__softmax_masked *softmax_masked;
    hst__softmax_columns *softmax_columns;
    hst__norm_row *norm;
} hst__rows_f32;

/** Never NULL. */
const hst__rows_f32 *hst__rows_pick(hst_cpu_level level);
extern const hst__rows_f32 hst__rows_f32__ref, hst__rows_f32__avx2, hst__rows_f32__avx512;

#endif
