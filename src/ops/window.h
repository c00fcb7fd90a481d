/* Kernel, stride, dilation, padding of convolutions and poolings, from ONNX attributes.
 */
#ifndef HST_OPS_WINDOW_H
#define HST_OPS_WINDOW_H

#include "ops/op.h"

enum { HST__WINDOW_MAX = 3 };

typedef struct hst__window {
    int dims; /**< spatial dimensions, 1..3 */
    int64_t in[HST__WINDOW_MAX], out[HST__WINDOW_MAX], kernel[HST__WINDOW_MAX];
    int64_t stride[HST__WINDOW_MAX], dilation[HST__WINDOW_MAX];
    int64_t pad_begin[HST__WINDOW_MAX], pad_end[HST__WINDOW_MAX];
} hst__window;

/** Position of spatial dimension i (0..dims-1) in a tensor of that layout. */
static inline int hst__window_at(bool channels_last, int i) {
    return channels_last ? 1 + i : 2 + i;
}
static inline int hst__window_channel(bool channels_last, int rank) {
    return channels_last ? rank - 1 : 1;
}

enum { HST__WINDOW_LIMIT = 1 << 30 }; /* keeps sums and products far from overflow */

/** The n values of a list attribute, or n times the fallback; each in low to
 * HST__WINDOW_LIMIT. Errors: SHAPE. */
hst_status hst__window_list(hst__op_ctx *c, const char *name, int n, int64_t fallback,
                            int64_t low, int64_t *out);

/** Whether the attribute "group" divides `channels` and the outputs of weights
 * [out][in / group]... as they say. Errors: SHAPE. */
hst_status hst__window_groups(hst__op_ctx *c, int64_t channels, const hst__desc *weights);

/** Reads the attributes kernel_shape, strides, dilations, pads, auto_pad and ceil_mode
 * for an input of this shape and fills the output size. `kernel` (dims sizes) is what the
 * weights say, which kernel_shape may repeat; NULL where kernel_shape must be given.
 * channels_last tells where the spatial dimensions of `in` are. Errors: SHAPE,
 * UNSUPPORTED, LIMIT. */
hst_status hst__window_init(hst__op_ctx *c, const hst__desc *in, bool channels_last,
                            const int64_t *kernel, hst__window *w);

#endif
