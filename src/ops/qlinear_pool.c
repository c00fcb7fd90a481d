#include "ops/qlinear_pool.h"

#include "ops/pool.h"
#include "ops/quant.h"
#include "ops/types.h"
#include "ops/window.h"

enum { X, X_SCALE, X_ZERO, Y_SCALE, Y_ZERO };

/** The attribute channels_last moves the channels of the file's tensors to the end. */
static hst_status describe(hst__op_ctx *c, bool global, hst__pool_desc *d) {
    const hst__desc *x = &c->in[X];
    hst__window w = {.dims = x->rank - 2};
    if (!hst__op_has(c, X) || !hst__op_has(c, X_SCALE) || !hst__op_has(c, Y_SCALE))
        return hst__op_fail(c, HST_E_FORMAT, "an input is missing");
    if ((x->dtype != HST_DTYPE_U8 && x->dtype != HST_DTYPE_S8) ||
        c->in[X_SCALE].dtype != HST_DTYPE_F32 || c->in[Y_SCALE].dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, X, "u8, s8, with f32 scales");
    if (hst__attr_int(c->node, "channels_last", 0))
        return hst__op_fail(c, HST_E_UNSUPPORTED, "channels_last 1; 0 is supported");
    if (global && (w.dims < 1 || w.dims > HST__POOL_DIMS))
        return hst__op_fail(c, HST_E_UNSUPPORTED, "an input of rank %d; ranks 3 to 5 are",
                            x->rank);
    hst_status st = global ? HST_OK : hst__window_init(c, x, false, NULL, &w);
    if (st)
        return st;
    *d = (hst__pool_desc){.dims = w.dims,
                          .batch = (size_t)x->dims[0],
                          .channels = (size_t)x->dims[1],
                          .count_include_pad =
                              hst__attr_int(c->node, "count_include_pad", 0)};
    for (int i = 0; i < w.dims; i++) {
        d->in[i] = x->dims[2 + i];
        d->out[i] = global ? 1 : w.out[i];
        d->kernel[i] = global ? x->dims[2 + i] : w.kernel[i];
        d->stride[i] = global ? 1 : w.stride[i];
        d->dilation[i] = global ? 1 : w.dilation[i];
        d->pad_begin[i] = global ? 0 : w.pad_begin[i];
        d->pad_end[i] = global ? 0 : w.pad_end[i];
    }
    return HST_OK;
}

hst_status hst__qlinear_pool_infer(hst__op_ctx *c, bool global) {
    hst__pool_desc d;
    hst_status st = describe(c, global, &d);
    if (st)
        return st;
    int64_t dims[HST_MAX_RANK] = {(int64_t)d.batch, (int64_t)d.channels};
    for (int i = 0; i < d.dims; i++)
        dims[2 + i] = d.out[i];
    return hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, dims);
}

static void run(const hst__step *step, const hst__run *r) {
    const hst__pool_desc *d = step->state;
    hst_dtype t = step->in_desc[X].dtype;
    size_t n = hst__desc_size(&step->in_desc[X]), m = hst__desc_size(&step->out_desc[0]);
    float xs = *(const float *)hst__in(step, r, X_SCALE);
    float ys = *(const float *)hst__in(step, r, Y_SCALE);
    int32_t xz = hst__quant_zero(step, r, X_ZERO, 0),
            yz = hst__quant_zero(step, r, Y_ZERO, 0);
    const void *x = hst__in(step, r, X);
    void *y = hst__out(step, r, 0);
    float *in = (float *)r->scratch, *out = in + n;
    int64_t low = 0, high = 0;
    hst__quant_range(t, &low, &high);
    for (size_t i = 0; i < n; i++)
        in[i] = (float)(hst__quant_load(t, x, i) - xz) * xs;
    hst__pool_nd_average_f32__ref(d, in, out, 0, d->batch * d->channels);
    for (size_t i = 0; i < m; i++)
        hst__quant_store(t, y, i, hst__quant_round(out[i] / ys, yz, low, high));
}

hst_status hst__qlinear_pool_prepare(hst__op_ctx *c, hst__step *step, bool global) {
    hst__pool_desc *d = hst__op_state(c, sizeof *d);
    if (!d)
        return hst__op_nomem(c, sizeof *d);
    step->scratch =
        (hst__desc_size(&c->in[X]) + hst__desc_size(&c->out[0])) * sizeof(float);
    step->state = d;
    step->run = run;
    hst_status st = describe(c, global, d);
    step->ns = HST__POOL_TAP_NS * (double)hst__desc_size(&c->out[0]);
    for (int i = 0; i < d->dims; i++)
        step->ns *= (double)d->kernel[i];
    return st;
}
