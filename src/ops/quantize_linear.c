/* QuantizeLinear: round(x / scale) + zero point, half to even, saturated. */
#include "ops/pieces.h"
#include "ops/quant.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, SCALE, ZERO };

static hst_status infer(hst__op_ctx *c) {
    const char *name = "?";
    int64_t low, high;
    hst__quant_axis q;
    hst_dtype to = HST_DTYPE_U8;
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    int64_t number = hst__attr_int(c->node, "output_dtype", 0);
    if (hst__op_has(c, ZERO))
        to = c->in[ZERO].dtype;
    else if (number)
        to = hst__types_from_onnx(number, &name);
    if (!hst__quant_range(to, &low, &high) || to == HST_DTYPE_S32)
        return hst__op_fail(
            c, HST_E_UNSUPPORTED,
            "quantising to element type %s; u8, s8, u16, s16 are supported",
            to ? hst_dtype_name(to) : name);
    st = hst__quant_axis_get(c, &q);
    return st ? st : hst__op_set_out(c, 0, to, c->in[X].rank, c->in[X].dims);
}

typedef struct quantize_state {
    hst__quant_axis q;
    int64_t low, high;
    hst__pieces pieces;
} quantize_state;

static void row_u8(const float *x, uint8_t *y, size_t n, float scale, int32_t zero,
                   int32_t low, int32_t high) {
    for (size_t i = 0; i < n; i++) {
        float r = nearbyintf(x[i] / scale);
        r = r > -70000.0f ? r : -70000.0f; /* NaN too */
        r = r < 70000.0f ? r : 70000.0f;
        int32_t v = (int32_t)r + zero;
        y[i] = (uint8_t)(v < low ? low : v > high ? high : v);
    }
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const quantize_state *s = j->step->state;
    const hst__quant_axis *q = &s->q;
    const float *x = hst__in(j->step, j->run, X),
                *scale = hst__in(j->step, j->run, SCALE);
    char *y = hst__out(j->step, j->run, 0);
    hst_dtype t = j->step->out_desc[0].dtype;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    bool one = q->a_stride == 0;
    if (one && hst_dtype_size(t) == 1) {
        row_u8(x + from, (uint8_t *)y + from, to - from, scale[0],
               hst__quant_zero(j->step, j->run, ZERO, 0), (int32_t)s->low,
               (int32_t)s->high);
        return;
    }
    for (size_t e = from; e < to; e++) {
        size_t i = e % q->inner, a = e / q->inner % q->axis, o = e / q->inner / q->axis;
        size_t k = o * q->o_stride + a / q->block * q->a_stride + i * q->i_stride;
        int64_t zero = hst__quant_zero(j->step, j->run, ZERO, k);
        hst__quant_store(t, y, e,
                         hst__quant_round(x[e] / scale[k], zero, s->low, s->high));
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const quantize_state *)step->state)->pieces.count, task,
                  &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    quantize_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    for (int i = X; i <= SCALE; i++)
        if (c->in[i].dtype != HST_DTYPE_F32)
            return hst__op_bad_type(c, i, "f32, f16");
    hst_status st = hst__quant_axis_get(c, &s->q);
    hst__quant_range(c->out[0].dtype, &s->low, &s->high);
    s->pieces = hst__pieces_cut(hst__desc_size(&c->in[X]), 1, 64, c->threads);
    step->state = s;
    step->kernel = "quantize";
    step->run = run;
    return st;
}

const hst__op hst__op_QuantizeLinear = {10, HST__OPSET_MAX, 2,     3,      1,
                                        1,  false,          infer, prepare};
