#include <math.h>
#include <stdint.h>

#include "kernels/peak.h"

double hst__peak_f32__ref(size_t rounds, float *sink) {
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t r = 0; r < rounds; r++)
        for (int i = 0; i < 8; i++)
            a[i] = a[i] * 0.999f + 0.001f;
    *sink = a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
    return (double)rounds * 16;
}

double hst__peak_int8__ref(size_t rounds, float *sink) {
    int32_t sum[8] = {0};
    for (size_t r = 0; r < rounds; r++)
        for (int i = 0; i < 8; i++)
            sum[i] += (int32_t)(uint8_t)(r + (size_t)i) * (int8_t)(r >> 3);
    *sink =
        (float)(sum[0] ^ sum[1] ^ sum[2] ^ sum[3] ^ sum[4] ^ sum[5] ^ sum[6] ^ sum[7]);
    return (double)rounds * 16;
}
