/* LayerNormalization and its relatives: rows of the last dimensions are normalised. */
#ifndef HST_OPS_ROW_NORM_H
#define HST_OPS_ROW_NORM_H

#include "ops/op.h"

typedef struct hst__row_norm {
    int x, skip, skip_bias; /**< inputs; skip and its bias [n] are added first; -1: none */
    int gamma, beta;        /**< inputs of n elements; -1: none */
    int mean, inv_std;      /**< outputs of one number a row; -1: none */
    int sum;                /**< output that gets x + skip + skip_bias; -1: none */
    size_t rows, n;
    float eps;
    bool centre; /**< subtract the mean */
} hst__row_norm;

hst_status hst__row_norm_prepare(hst__op_ctx *c, hst__step *s, const hst__row_norm *norm);

#endif
