/* Plain convolutions of 1 to 3 spatial dimensions on planar tensors [batch, C,
 * spatial...]: the definition that tests and rare shapes use. Sums in double. */
#ifndef HST_KERNELS_CONV_ND_H
#define HST_KERNELS_CONV_ND_H

#include "kernels/epilogue.h"

enum { HST__CONV_ND_MAX = 3 };

typedef struct hst__conv_nd {
    int dims; /**< spatial dimensions, 1..3; the first `dims` entries below count */
    size_t batch, in_c, out_c, groups;
    size_t in[HST__CONV_ND_MAX], out[HST__CONV_ND_MAX];
    size_t kernel[HST__CONV_ND_MAX], stride[HST__CONV_ND_MAX], dilation[HST__CONV_ND_MAX];
    ptrdiff_t pad[HST__CONV_ND_MAX]; /**< before the first element; those after follow
                                          from `out` */
} hst__conv_nd;

/** y = conv(x, w) + bias; x [batch, in_c, in...], w [out_c, in_c/groups, kernel...] maybe
 * unaligned, bias [out_c] or NULL, y [batch, out_c, out...]. `from`..`to`-1 is a range of
 * the batch * out_c output planes, so that callers can split the work. */
void hst__conv_nd_f32__ref(const hst__conv_nd *d, const float *x, const void *w,
                           const float *bias, float *y, size_t from, size_t to);

/** y = transposed conv(x, w) + bias; w is [in_c, out_c/groups, kernel...]; an output
 * element o takes x[i] * w[k] wherever o = i * stride + k * dilation - pad. */
void hst__conv_transpose_nd_f32__ref(const hst__conv_nd *d, const float *x, const void *w,
                                     const float *bias, float *y, size_t from, size_t to);

#endif
