/* Upsample, opsets 7 to 9 (Resize took its place): scales as attribute or input. */
#include <math.h>
#include <string.h>

#include "ops/resize.h"
#include "ops/types.h"

enum { X, SCALES };

static hst_status describe(hst__op_ctx *c, hst__resize *r) {
    const char *mode = hst__attr_string(c->node, "mode", "nearest");
    float scales[HST_MAX_RANK];
    int n;
    hst_status st = hst__types_need(c, 1);
    if (st)
        return st;
    *r = (hst__resize){
        .rank = c->in[X].rank, .coordinates = HST__ASYMMETRIC, .rounding = HST__FLOOR};
    if (strcmp(mode, "linear") == 0 || strcmp(mode, "bilinear") == 0)
        r->mode = HST__LINEAR;
    else if (strcmp(mode, "nearest") != 0)
        return hst__op_fail(c, HST_E_UNSUPPORTED, "mode '%.40s'; nearest and linear are",
                            mode);
    if (c->node->opset >= 9) {
        st = hst__op_floats(c, SCALES, scales, HST_MAX_RANK, &n);
        if (st)
            return st;
    } else {
        size_t count;
        const float *listed = hst__attr_floats(c->node, "scales", &count);
        n = count > HST_MAX_RANK ? HST_MAX_RANK + 1 : (int)count;
        if (listed && n <= HST_MAX_RANK)
            memcpy(scales, listed, count * sizeof *listed);
    }
    if (n != r->rank)
        return hst__op_fail(c, HST_E_SHAPE, "%d scales for rank %d", n, r->rank);
    for (int i = 0; i < n; i++) {
        float scale = scales[hst__resize_axis(c->node, i)];
        float out = floorf(scale * (float)c->in[X].dims[i]);
        if (!(scale > 0) || !(out < 1e9f))
            return hst__op_fail(c, HST_E_SHAPE,
                                "a scale of %g; it must be positive and finite",
                                (double)scale);
        r->in[i] = c->in[X].dims[i];
        r->out[i] = (int64_t)out;
        r->scale[i] = scale;
        r->roi_end[i] = 1;
    }
    return HST_OK;
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

const hst__op hst__op_Upsample = {7, 9, 1, 2, 1, 1, false, infer, prepare};
