/* Kernels that scale rows of pixels. A row is [pixels][channels]; the horizontal ones
 * make a row of `outputs` pixels from one of `width`, the vertical ones a row from
 * several.
 *
 * Each form has one arithmetic, fixed by the library whose result it repeats:
 *
 *   fixed   sum of w[k] * x[k] in 22-bit fixed point, u8 between the passes (Pillow)
 *   linear  two taps in 11-bit fixed point, s16 between the passes (OpenCV)
 *   cubic   four taps in 11-bit fixed point, s32 between the passes (OpenCV)
 *   float   sum of w[k] * x[k] in f32, in the order of k, product and sum each rounded
 *           (OpenCV: area, and everything of 16 bits)
 *   double  the same in f64 for u16, u16 between the passes (Pillow)
 *   area    mean of n x m pixels in integers (OpenCV: whole ratios)
 *
 * so that every CPU level gives the same bits. */
#ifndef HST_KERNELS_RESIZE_H
#define HST_KERNELS_RESIZE_H

#include <stddef.h>
#include <stdint.h>

#include "hasten/cpu.h"

/** Weights along one axis: output i = sum over k < count[i] of weight[i * stride + k] *
 * input[start[i] + k]. Starts never fall. All windows lie within 0..width. */
typedef struct hst__resize_taps {
    int outputs, width;
    int stride; /**< weights of one output, a multiple of 8; those past count are 0 */
    const int32_t *start, *count;
    const int32_t *fixed;      /**< fixed form: round(w * 2^22) */
    const int16_t *low, *high; /**< fixed = high * 2^15 + low, 0 <= low < 2^15 */
    const float *f32;          /**< float form */
    const double *f64;         /**< double form */
} hst__resize_taps;

/** Two or four taps in 11-bit fixed point: output i = sum over k < taps of
 * weight[i * taps + k] * input[clamp(start[i] + k, 0, width - 1)]. Starts never fall. */
typedef struct hst__resize_short {
    int outputs, width, taps;
    const int32_t *start;
    const int16_t *weight;
} hst__resize_short;

enum {
    HST__RESIZE_FIXED_BITS = 22,
    HST__RESIZE_SHORT_BITS = 11,
    HST__RESIZE_ROWS = 4,   /**< rows a fixed_h kernel takes at once */
    HST__RESIZE_SLACK = 64, /**< bytes that rows between passes have behind their end */
};

/** Rows 0..rows-1 (1 to HST__RESIZE_ROWS); dst rows do not overlap src rows. */
typedef void hst__resize_fixed_h_fn(const uint8_t *const *src, uint8_t *const *dst,
                                    int rows, const hst__resize_taps *taps, int channels);
/** dst[i] from rows[k][i], k < count[output]; bytes >= 1. */
typedef void hst__resize_fixed_v_fn(const uint8_t *const *rows, uint8_t *dst,
                                    size_t bytes, const hst__resize_taps *taps,
                                    int output);
/** dst gets the sum >> 4 (15 bits); HST__RESIZE_SLACK bytes behind it may be written. */
typedef void hst__resize_linear_h_fn(const uint8_t *src, int16_t *dst,
                                     const hst__resize_short *taps, int channels);
typedef void hst__resize_linear_v_fn(const int16_t *const rows[2], uint8_t *dst, size_t n,
                                     const int16_t weight[2]);
/** HST__RESIZE_SLACK bytes behind dst may be written. */
typedef void hst__resize_cubic_h_fn(const uint8_t *src, int32_t *dst,
                                    const hst__resize_short *taps, int channels);
typedef void hst__resize_cubic_v_fn(const int32_t *const rows[4], uint8_t *dst, size_t n,
                                    const int16_t weight[4]);
/** HST__RESIZE_SLACK bytes behind dst may be written. */
typedef void hst__resize_float_h_u8_fn(const uint8_t *src, float *dst,
                                       const hst__resize_taps *taps, int channels);
typedef void hst__resize_float_h_u16_fn(const uint16_t *src, float *dst,
                                        const hst__resize_taps *taps, int channels);
/** Rounded to nearest even, saturated. */
typedef void hst__resize_float_v_u8_fn(const float *const *rows, uint8_t *dst, size_t n,
                                       const hst__resize_taps *taps, int output);
typedef void hst__resize_float_v_u16_fn(const float *const *rows, uint16_t *dst, size_t n,
                                        const hst__resize_taps *taps, int output);
/** sum[i] = rows[0][i] + ... + rows[count-1][i], i < n; count * 255 < 2^32. */
typedef void hst__resize_area_sum_fn(const uint8_t *const *rows, int count, uint32_t *sum,
                                     size_t n);
/** One row of 2 x 2 means, (a + b + c + d + 2) >> 2, `outputs` pixels. */
typedef void hst__resize_area_2x2_fn(const uint8_t *a, const uint8_t *b, uint8_t *dst,
                                     int outputs, int channels);

typedef struct hst__resize_kernels {
    hst__resize_fixed_h_fn *fixed_h;
    hst__resize_fixed_v_fn *fixed_v;
    hst__resize_linear_h_fn *linear_h;
    hst__resize_linear_v_fn *linear_v;
    hst__resize_cubic_h_fn *cubic_h;
    hst__resize_cubic_v_fn *cubic_v;
    hst__resize_float_h_u8_fn *float_h_u8;
    hst__resize_float_h_u16_fn *float_h_u16;
    hst__resize_float_v_u8_fn *float_v_u8;
    hst__resize_float_v_u16_fn *float_v_u16;
    hst__resize_area_sum_fn *area_sum;
    hst__resize_area_2x2_fn *area_2x2;
} hst__resize_kernels;

/** The kernels for a level (resolved by hst__cpu_resolve); constant, never NULL. */
const hst__resize_kernels *hst__resize_get(hst_cpu_level level);

/* The double form, at every level. */
void hst__resize_double_h(const uint16_t *src, uint16_t *dst,
                          const hst__resize_taps *taps, int channels);
void hst__resize_double_v(const uint16_t *const *rows, uint16_t *dst, size_t n,
                          const hst__resize_taps *taps, int output);

/* The references: what every level must repeat bit by bit. */
hst__resize_fixed_h_fn hst__resize_fixed_h__ref;
hst__resize_fixed_v_fn hst__resize_fixed_v__ref;
hst__resize_linear_h_fn hst__resize_linear_h__ref;
hst__resize_linear_v_fn hst__resize_linear_v__ref;
hst__resize_cubic_h_fn hst__resize_cubic_h__ref;
hst__resize_cubic_v_fn hst__resize_cubic_v__ref;
hst__resize_float_h_u8_fn hst__resize_float_h_u8__ref;
hst__resize_float_h_u16_fn hst__resize_float_h_u16__ref;
hst__resize_float_v_u8_fn hst__resize_float_v_u8__ref;
hst__resize_float_v_u16_fn hst__resize_float_v_u16__ref;
hst__resize_area_sum_fn hst__resize_area_sum__ref;
hst__resize_area_2x2_fn hst__resize_area_2x2__ref;

hst__resize_linear_h_fn hst__resize_linear_h__avx2;
hst__resize_cubic_h_fn hst__resize_cubic_h__avx2;
extern const hst__resize_kernels hst__resize_u8__avx2, hst__resize_u8__avx512,
    hst__resize_u8__avx512vnni;

/* Outputs from..to-1 of one row: also the ends of rows for the other levels. */
void hst__resize_fixed_h_part(const uint8_t *src, uint8_t *dst,
                              const hst__resize_taps *taps, int channels, int from,
                              int to);
void hst__resize_linear_h_part(const uint8_t *src, int16_t *dst,
                               const hst__resize_short *taps, int channels, int from,
                               int to);
void hst__resize_cubic_h_part(const uint8_t *src, int32_t *dst,
                              const hst__resize_short *taps, int channels, int from,
                              int to);
void hst__resize_float_h_u8_part(const uint8_t *src, float *dst,
                                 const hst__resize_taps *taps, int channels, int from,
                                 int to);

#endif
