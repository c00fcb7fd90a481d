#include "tensor/half.h"

void hst__f16_to_f32_array(const void *halves, float *floats, size_t n) {
    uint16_t h;
    for (size_t i = 0; i < n; i++) {
        memcpy(&h, (const char *)halves + 2 * i, sizeof h);
        floats[i] = hst__f16_to_f32(h);
    }
}

void hst__f32_to_f16_array(const float *floats, void *halves, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint16_t h = hst__f32_to_f16(floats[i]);
        memcpy((char *)halves + 2 * i, &h, sizeof h);
    }
}

void hst__bf16_to_f32_array(const void *halves, float *floats, size_t n) {
    uint16_t h;
    for (size_t i = 0; i < n; i++) {
        memcpy(&h, (const char *)halves + 2 * i, sizeof h);
        floats[i] = hst__bf16_to_f32(h);
    }
}

void hst__f32_to_bf16_array(const float *floats, void *halves, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint16_t h = hst__f32_to_bf16(floats[i]);
        memcpy((char *)halves + 2 * i, &h, sizeof h);
    }
}
