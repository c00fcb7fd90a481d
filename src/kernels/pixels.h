/* Kernels that turn rows of u8 pixels into rows of tensors: value = x * a + b in f32, the
 * product and the sum each rounded, so that every CPU level gives the same bits. */
#ifndef HST_KERNELS_PIXELS_H
#define HST_KERNELS_PIXELS_H

#include <stddef.h>
#include <stdint.h>

#include "hasten/cpu.h"

/** Length of a pattern: a multiple of 1, 3 and 4 channels and of every vector. */
enum { HST__PIXELS_PATTERN = 48 };

/** dst[i] = src[i] * a[i % 48] + b[i % 48], i < n: interleaved stays interleaved. */
typedef void hst__pixels_pattern_fn(const uint8_t *src, float *dst, size_t n,
                                    const float a[HST__PIXELS_PATTERN],
                                    const float b[HST__PIXELS_PATTERN]);
/** dst[c][i] = src[3 * i + c] * a[c] + b[c], i < n: three planes. */
typedef void hst__pixels_planar3_fn(const uint8_t *src, float *const dst[3], size_t n,
                                    const float a[3], const float b[3]);
/** dst[c][i] = src[3 * i + c]. */
typedef void hst__pixels_split3_fn(const uint8_t *src, uint8_t *const dst[3], size_t n);
/** dst[3 * i + c] = src[3 * i + 2 - c]; dst and src do not overlap. */
typedef void hst__pixels_reverse3_fn(const uint8_t *src, uint8_t *dst, size_t n);

typedef struct hst__pixels_kernels {
    hst__pixels_pattern_fn *pattern;
    hst__pixels_planar3_fn *planar3;
    hst__pixels_split3_fn *split3;
    hst__pixels_reverse3_fn *reverse3;
} hst__pixels_kernels;

/** The kernels for a level (resolved by hst__cpu_resolve); constant, never NULL. */
const hst__pixels_kernels *hst__pixels_get(hst_cpu_level level);

hst__pixels_pattern_fn hst__pixels_pattern__ref;
hst__pixels_planar3_fn hst__pixels_planar3__ref;
hst__pixels_split3_fn hst__pixels_split3__ref;
hst__pixels_reverse3_fn hst__pixels_reverse3__ref;
extern const hst__pixels_kernels hst__pixels_u8__avx2, hst__pixels_u8__avx512;

#endif
