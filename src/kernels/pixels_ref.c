#include "kernels/pixels.h"

void hst__pixels_pattern__ref(const uint8_t *src, float *dst, size_t n,
                              const float a[HST__PIXELS_PATTERN],
                              const float b[HST__PIXELS_PATTERN]) {
    for (size_t i = 0, k = 0; i < n; i++) {
        dst[i] = (float)src[i] * a[k] + b[k];
        k = k + 1 < HST__PIXELS_PATTERN ? k + 1 : 0;
    }
}

void hst__pixels_planar3__ref(const uint8_t *src, float *const dst[3], size_t n,
                              const float a[3], const float b[3]) {
    for (size_t c = 0; c < 3; c++) {
        for (size_t i = 0; i < n; i++)
            dst[c][i] = (float)src[3 * i + c] * a[c] + b[c];
    }
}

void hst__pixels_split3__ref(const uint8_t *src, uint8_t *const dst[3], size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < 3; c++)
            dst[c][i] = src[3 * i + c];
    }
}

void hst__pixels_reverse3__ref(const uint8_t *src, uint8_t *dst, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < 3; c++)
            dst[3 * i + c] = src[3 * i + 2 - c];
    }
}
