/* Exact products of 8-bit integers, summed in s32. */
#ifndef HST_OPS_QPRODUCT_H
#define HST_OPS_QPRODUCT_H

#include <stddef.h>
#include <stdint.h>

#include "hasten/tensor.h"

/** y[i] = x[i] - zero for u8 or s8 x. */
void hst__q_centre(hst_dtype t, const void *x, int32_t zero, int16_t *y, size_t n);
/** sum[j] += a * b[j]. */
void hst__q_axpy(int32_t a, const int16_t *b, int32_t *sum, size_t n);

#endif
