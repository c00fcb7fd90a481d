/* Resize, opsets 10 to 19: scales or sizes, roi, axes, antialias, aspect-ratio policies.
 */
#include "ops/resize.h"

#include <math.h>
#include <string.h>

#include "ops/types.h"
#include "ops/unary.h"

enum { X, ROI, SCALES, SIZES };

static hst_status choose(hst__op_ctx *c, const char *what, const char *given,
                         const char *const *names, int n, int *out) {
    for (int i = 0; i < n; i++)
        if (strcmp(given, names[i]) == 0) {
            *out = i;
            return HST_OK;
        }
    return hst__op_fail(c, HST_E_UNSUPPORTED, "%s '%.40s'; among the supported is %s",
                        what, given, names[0]);
}

static hst_status read_modes(hst__op_ctx *c, hst__resize *r) {
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    static const char *const coordinates[] = {
        "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
        "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
    static const char *const roundings[] = {"round_prefer_floor", "round_prefer_ceil",
                                            "floor", "ceil"};
    const hst__node *n = c->node;
    int mode = 0, coordinate = HST__ASYMMETRIC, rounding = HST__FLOOR;
    hst_status st =
        choose(c, "mode", hst__attr_string(n, "mode", "nearest"), modes, 3, &mode);
    if (!st && n->opset >= 11)
        st = choose(c, "coordinate_transformation_mode",
                    hst__attr_string(n, "coordinate_transformation_mode", "half_pixel"),
                    coordinates, 7, &coordinate);
    if (!st && n->opset >= 11)
        st = choose(c, "nearest_mode",
                    hst__attr_string(n, "nearest_mode", "round_prefer_floor"), roundings,
                    4, &rounding);
    r->mode = (hst__resize_mode)mode;
    r->coordinates = (hst__resize_coordinates)coordinate;
    r->rounding = (hst__resize_rounding)rounding;
    r->cubic_a = hst__attr_float(n, "cubic_coeff_a", -0.75f);
    r->extrapolation = hst__attr_float(n, "extrapolation_value", 0);
    r->exclude_outside = hst__attr_int(n, "exclude_outside", 0);
    r->antialias = hst__attr_int(n, "antialias", 0);
    return st;
}

/** Which file axes the lists of scales, sizes and roi speak of. */
static hst_status read_axes(hst__op_ctx *c, int rank, int axes[HST_MAX_RANK],
                            int *count) {
    size_t listed;
    const int64_t *a = hst__attr_ints(c->node, "axes", &listed);
    *count = a ? (int)listed : rank;
    if (a && listed > (size_t)rank)
        return hst__op_fail(c, HST_E_SHAPE, "%zu axes for rank %d", listed, rank);
    for (int i = 0; i < *count; i++) {
        hst_status st = hst__op_axis(c, a ? a[i] : i, rank, false, &axes[i]);
        if (st)
            return st;
    }
    return HST_OK;
}

/** Everything by file axis. */
typedef struct target {
    int64_t in[HST_MAX_RANK], out[HST_MAX_RANK];
    double scale[HST_MAX_RANK];
    float roi_start[HST_MAX_RANK], roi_end[HST_MAX_RANK];
} target;

static hst_status from_scales(hst__op_ctx *c, const float *scales, int n, const int *axes,
                              target *t) {
    for (int i = 0; i < n; i++) {
        int d = axes[i];
        float out = floorf(scales[i] * (float)t->in[d]);
        if (!(scales[i] > 0) || !(out < 1e9f))
            return hst__op_fail(c, HST_E_SHAPE,
                                "a scale of %g; it must be positive and finite",
                                (double)scales[i]);
        t->scale[d] = scales[i];
        t->out[d] = (int64_t)out;
    }
    return HST_OK;
}

static hst_status from_sizes(hst__op_ctx *c, const int64_t *sizes, int n, const int *axes,
                             target *t) {
    const char *policy = hst__attr_string(c->node, "keep_aspect_ratio_policy", "stretch");
    bool larger = strcmp(policy, "not_smaller") == 0;
    bool keep = larger || strcmp(policy, "not_larger") == 0;
    double common = larger ? 0 : INFINITY;
    for (int i = 0; i < n; i++) {
        if (sizes[i] < 0 || sizes[i] > 1000000000 || t->in[axes[i]] < 1)
            return hst__op_fail(c, HST_E_SHAPE, "a size of %lld", (long long)sizes[i]);
        double s = (double)sizes[i] / (double)t->in[axes[i]];
        common = larger ? fmax(common, s) : fmin(common, s);
    }
    for (int i = 0; i < n; i++) {
        int d = axes[i];
        t->out[d] = keep ? (int64_t)floor(common * (double)t->in[d] + 0.5) : sizes[i];
        t->scale[d] = keep ? common : (double)t->out[d] / (double)t->in[d];
    }
    return HST_OK;
}

static bool given(const hst__op_ctx *c, int i) {
    return hst__op_has(c, i) && hst__desc_size(&c->in[i]) > 0;
}

static hst_status read_target(hst__op_ctx *c, const hst__resize *r, int rank, target *t) {
    int axes[HST_MAX_RANK], n, got = 0;
    float scales[HST_MAX_RANK], roi[2 * HST_MAX_RANK];
    int64_t sizes[HST_MAX_RANK];
    int scales_at = c->node->opset == 10 ? 1 : SCALES;
    hst_status st = read_axes(c, rank, axes, &n);
    if (st)
        return st;
    bool by_size = c->node->opset >= 11 && given(c, SIZES);
    if (by_size)
        st = hst__op_ints(c, SIZES, sizes, HST_MAX_RANK, &got);
    else if (given(c, scales_at))
        st = hst__op_floats(c, scales_at, scales, HST_MAX_RANK, &got);
    else
        st = hst__op_fail(c, HST_E_FORMAT, "neither scales nor sizes are given");
    if (!st && got != n)
        st = hst__op_fail(c, HST_E_SHAPE, "%d scales or sizes for %d axes", got, n);
    if (!st)
        st = by_size ? from_sizes(c, sizes, n, axes, t)
                     : from_scales(c, scales, n, axes, t);
    if (st || r->coordinates != HST__TF_CROP_AND_RESIZE)
        return st;
    st = hst__op_floats(c, ROI, roi, 2 * HST_MAX_RANK, &got);
    if (!st && got != 2 * n)
        st = hst__op_fail(c, HST_E_SHAPE, "roi has %d numbers for %d axes", got, n);
    for (int i = 0; !st && i < n; i++) {
        t->roi_start[axes[i]] = roi[i];
        t->roi_end[axes[i]] = roi[n + i];
    }
    return st;
}

static hst_status describe(hst__op_ctx *c, hst__resize *r) {
    target t;
    hst_status st = hst__types_need(c, 1);
    const hst__desc *x = &c->in[X];
    *r = (hst__resize){.rank = x->rank};
    if (!st)
        st = read_modes(c, r);
    if (st)
        return st;
    for (int i = 0; i < x->rank; i++) {
        int d = hst__resize_axis(c->node, i);
        t.in[d] = t.out[d] = x->dims[i];
        t.scale[d] = 1;
        t.roi_start[d] = 0;
        t.roi_end[d] = 1;
    }
    st = read_target(c, r, x->rank, &t);
    for (int i = 0; !st && i < x->rank; i++) {
        int d = hst__resize_axis(c->node, i);
        r->in[i] = t.in[d];
        r->out[i] = t.out[d];
        r->scale[i] = t.scale[d];
        r->roi_start[i] = t.roi_start[d];
        r->roi_end[i] = t.roi_end[d];
    }
    return st;
}

static hst_status infer(hst__op_ctx *c) {
    hst__resize r;
    hst_status st = describe(c, &r);
    return st ? st : hst__op_set_out(c, 0, c->in[X].dtype, r.rank, r.out);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    hst__resize r;
    hst_status st = describe(c, &r);
    return st ? st : hst__resize_prepare(c, s, &r);
}

const hst__op hst__op_Resize = {10, HST__OPSET_MAX, 1, 4, 1, 1, false, infer, prepare};
