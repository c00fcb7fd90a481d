#include "ops/qproduct.h"

void hst__q_centre(hst_dtype t, const void *x, int32_t zero, int16_t *y, size_t n) {
    if (t == HST_DTYPE_S8)
        for (size_t i = 0; i < n; i++)
            y[i] = (int16_t)(((const int8_t *)x)[i] - zero);
    else
        for (size_t i = 0; i < n; i++)
            y[i] = (int16_t)(((const uint8_t *)x)[i] - zero);
}

void hst__q_axpy(int32_t a, const int16_t *b, int32_t *sum, size_t n) {
    for (size_t j = 0; j < n; j++)
        sum[j] += a * b[j];
}
