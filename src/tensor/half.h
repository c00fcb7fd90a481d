/* Half-precision floats: conversions that round to nearest, ties to even. Infinities,
 * subnormals and signed zeros are kept; a NaN stays one, quiet where it is narrowed. */
#ifndef HST_TENSOR_HALF_H
#define HST_TENSOR_HALF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float hst__bits_to_f32(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t hst__f32_to_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/** IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 mantissa bits. */
static inline float hst__f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31,
             mantissa = h & 0x3ffu;
    if (exponent == 31)
        return hst__bits_to_f32(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0)
        return hst__bits_to_f32(sign | (exponent + 112) << 23 | mantissa << 13);
    while (mantissa &&
           !(mantissa & 0x400u)) { /* subnormal: shift up to an implicit one */
        mantissa <<= 1;
        exponent--;
    }
    return mantissa ? hst__bits_to_f32(sign | (exponent + 113) << 23 |
                                       (mantissa & 0x3ffu) << 13)
                    : hst__bits_to_f32(sign);
}

static inline uint16_t hst__f32_to_f16(float f) {
    uint32_t bits = hst__f32_to_bits(f), sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x477ff000u) /* 65520 and more round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude >= 0x38800000u) { /* normal: from 2^-14 */
        uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
        return (uint16_t)(sign | (rounded - 0x38000000u) >> 13);
    }
    if (magnitude < 0x33000000u) /* below half the smallest subnormal */
        return (uint16_t)sign;
    uint32_t shift = 126 - (magnitude >> 23), full = (magnitude & 0x7fffffu) | 0x800000u;
    uint32_t kept = full >> shift, rest = full & ((1u << shift) - 1),
             half = 1u << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return (uint16_t)(sign | kept);
}

/** bfloat16: the upper half of an f32. */
static inline float hst__bf16_to_f32(uint16_t h) {
    return hst__bits_to_f32((uint32_t)h << 16);
}

static inline uint16_t hst__f32_to_bf16(float f) {
    uint32_t bits = hst__f32_to_bits(f);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* Arrays of n elements; the halves may be unaligned, as they are in a model file. */
void hst__f16_to_f32_array(const void *halves, float *floats, size_t n);
void hst__f32_to_f16_array(const float *floats, void *halves, size_t n);
void hst__bf16_to_f32_array(const void *halves, float *floats, size_t n);
void hst__f32_to_bf16_array(const float *floats, void *halves, size_t n);

#endif
