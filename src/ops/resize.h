/* What Resize and Upsample share: a target for each axis, and a step that works one axis
 * after the other through tables of taps. */
#ifndef HST_OPS_RESIZE_H
#define HST_OPS_RESIZE_H

#include "ops/op.h"

typedef enum hst__resize_mode { HST__NEAREST, HST__LINEAR, HST__CUBIC } hst__resize_mode;

typedef enum hst__resize_coordinates {
    HST__HALF_PIXEL,
    HST__HALF_PIXEL_SYMMETRIC,
    HST__PYTORCH_HALF_PIXEL,
    HST__ALIGN_CORNERS,
    HST__ASYMMETRIC,
    HST__TF_HALF_PIXEL_FOR_NN,
    HST__TF_CROP_AND_RESIZE,
} hst__resize_coordinates;

typedef enum hst__resize_rounding {
    HST__ROUND_PREFER_FLOOR,
    HST__ROUND_PREFER_CEIL,
    HST__FLOOR,
    HST__CEIL,
} hst__resize_rounding;

typedef struct hst__resize {
    hst__resize_mode mode;
    hst__resize_coordinates coordinates;
    hst__resize_rounding rounding;
    float cubic_a, extrapolation;
    bool exclude_outside, antialias;
    int rank;
    /* By dimension as the tensor lies in memory. */
    int64_t in[HST_MAX_RANK], out[HST_MAX_RANK];
    double scale[HST_MAX_RANK];
    float roi_start[HST_MAX_RANK], roi_end[HST_MAX_RANK];
} hst__resize;

hst_status hst__resize_prepare(hst__op_ctx *c, hst__step *s, const hst__resize *r);

/** Dimension of the file (N,C,H,W) that dimension i in memory is. */
static inline int hst__resize_axis(const hst__node *n, int i) {
    static const int nhwc[4] = {0, 2, 3, 1};
    return n->channels_last ? nhwc[i] : i;
}

#endif
