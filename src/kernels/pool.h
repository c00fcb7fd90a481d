/* Pooling in f32: two-dimensional channels-last forms for every CPU level, and the plain
 * n-dimensional definition on planar tensors. */
#ifndef HST_KERNELS_POOL_H
#define HST_KERNELS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hasten/cpu.h"

enum { HST__POOL_DIMS = 3 };

/** Spatial dimensions 0..dims-1; for the channels-last forms dims is 2. */
typedef struct hst__pool_desc {
    int dims;
    size_t batch, channels;
    ptrdiff_t in[HST__POOL_DIMS], out[HST__POOL_DIMS];
    ptrdiff_t kernel[HST__POOL_DIMS], stride[HST__POOL_DIMS], dilation[HST__POOL_DIMS];
    ptrdiff_t pad_begin[HST__POOL_DIMS], pad_end[HST__POOL_DIMS];
    bool count_include_pad; /**< average over padding too, but never over what ceil_mode
                                 reaches beyond it */
    bool column_major;      /**< of the indices of max pooling (storage_order 1) */
} hst__pool_desc;

/** Output rows row_begin..row_end-1 of batch * out[0]; x, y are [batch, h, w, channels].
 * Max keeps NaN. Any cutting gives the same bits. */
typedef void hst__pool_rows(const hst__pool_desc *d, const float *x, float *y,
                            size_t row_begin, size_t row_end);
/** y[c] = max or mean over the n rows of x [n, channels]. */
typedef void hst__pool_all(const float *x, float *y, size_t n, size_t channels);

typedef struct hst__pool_f32 {
    const char *name;
    hst__pool_rows *max, *average;
    hst__pool_all *max_all, *average_all;
} hst__pool_f32;

/** Never NULL. */
const hst__pool_f32 *hst__pool_pick(hst_cpu_level level);
extern const hst__pool_f32 hst__pool_f32__ref, hst__pool_f32__avx2, hst__pool_f32__avx512;

/** Planar tensors [batch * channels, spatial...], planes from..to-1. indices (of max; may
 * be NULL) count elements of the whole input. */
void hst__pool_nd_max_f32__ref(const hst__pool_desc *d, const float *x, float *y,
                               int64_t *indices, size_t from, size_t to);
void hst__pool_nd_average_f32__ref(const hst__pool_desc *d, const float *x, float *y,
                                   size_t from, size_t to);

#endif
