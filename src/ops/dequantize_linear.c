/* DequantizeLinear: (x - zero point) * scale. */
#include "ops/pieces.h"
#include "ops/quant.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, SCALE, ZERO };

static hst_status infer(hst__op_ctx *c) {
    int64_t low, high;
    hst__quant_axis q;
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    if (!hst__quant_range(c->in[X].dtype, &low, &high))
        return hst__op_bad_type(c, X, "u8, s8, u16, s16, s32");
    st = hst__quant_axis_get(c, &q);
    return st ? st
              : hst__op_set_out(c, 0, c->in[SCALE].dtype, c->in[X].rank, c->in[X].dims);
}

typedef struct dequantize_state {
    hst__quant_axis q;
    hst__pieces pieces;
} dequantize_state;

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const dequantize_state *s = j->step->state;
    const hst__quant_axis *q = &s->q;
    const void *x = hst__in(j->step, j->run, X);
    const float *scale = hst__in(j->step, j->run, SCALE);
    float *y = hst__out(j->step, j->run, 0);
    hst_dtype t = j->step->in_desc[X].dtype;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    if (q->a_stride == 0) {
        int32_t zero = hst__quant_zero(j->step, j->run, ZERO, 0);
        for (size_t e = from; e < to; e++)
            y[e] = (float)((int64_t)hst__quant_load(t, x, e) - zero) * scale[0];
        return;
    }
    for (size_t e = from; e < to; e++) {
        size_t i = e % q->inner, a = e / q->inner % q->axis, o = e / q->inner / q->axis;
        size_t k = o * q->o_stride + a / q->block * q->a_stride + i * q->i_stride;
        int64_t zero = hst__quant_zero(j->step, j->run, ZERO, k);
        y[e] = (float)(hst__quant_load(t, x, e) - zero) * scale[k];
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const dequantize_state *)step->state)->pieces.count, task,
                  &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    dequantize_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    if (c->in[SCALE].dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, SCALE, "f32, f16");
    hst_status st = hst__quant_axis_get(c, &s->q);
    s->pieces = hst__pieces_cut(hst__desc_size(&c->in[X]), 1, 64, c->threads);
    step->state = s;
    step->kernel = "dequantize";
    step->run = run;
    return st;
}

const hst__op hst__op_DequantizeLinear = {10, HST__OPSET_MAX, 2,     3,      1,
                                          1,  false,          infer, prepare};
