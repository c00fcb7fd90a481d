/* com.microsoft QLinearConcat: y_scale, y_zero, then tensor, scale and zero point of each
 * part; each is brought to the output's parameters by a table of 256 entries. */
#include "ops/quant.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { Y_SCALE, Y_ZERO, FIRST };

static int parts(const hst__op_ctx *c) { return (c->n_in - FIRST) / 3; }

static hst_status infer(hst__op_ctx *c) {
    int axis;
    hst_status st = hst__types_need(c, c->n_in);
    if (!st && (c->n_in < 5 || (c->n_in - FIRST) % 3 != 0))
        st = hst__op_fail(c, HST_E_FORMAT, "%d inputs; 2 + 3 for each part are needed",
                          c->n_in);
    if (!st)
        st = hst__op_axis(c, hst__attr_int(c->node, "axis", 0), c->in[FIRST].rank, false,
                          &axis);
    if (st)
        return st;
    hst__desc out = c->in[FIRST];
    hst_dtype t = c->in[Y_ZERO].dtype;
    if (t != HST_DTYPE_U8 && t != HST_DTYPE_S8)
        return hst__op_bad_type(c, Y_ZERO, "u8, s8");
    for (int i = 0; i < parts(c); i++) {
        const hst__desc *d = &c->in[FIRST + 3 * i];
        bool fits = d->rank == out.rank && d->dtype == t &&
                    c->in[FIRST + 3 * i + 1].dtype == HST_DTYPE_F32;
        for (int k = 0; fits && k < out.rank; k++)
            fits = k == axis || d->dims[k] == out.dims[k];
        if (!fits)
            return hst__op_fail(c, HST_E_SHAPE, "part %d does not fit the first", i);
        if (i > 0 &&
            __builtin_add_overflow(out.dims[axis], d->dims[axis], &out.dims[axis]))
            return hst__op_fail(c, HST_E_LIMIT, "the output would be too large");
    }
    return hst__op_set_out(c, 0, t, out.rank, out.dims);
}

static void run(const hst__step *step, const hst__run *r) {
    const int *axis = step->state;
    const hst__desc *o = &step->out_desc[0];
    hst_dtype t = o->dtype;
    int64_t low = 0, high = 0;
    float ys = *(const float *)hst__in(step, r, Y_SCALE);
    int32_t yz = hst__quant_zero(step, r, Y_ZERO, 0);
    size_t outer = hst__desc_span(o, 0, *axis), row = hst__desc_span(o, *axis, o->rank),
           at = 0;
    uint8_t *y = hst__out(step, r, 0), table[256];
    hst__quant_range(t, &low, &high);
    for (int i = FIRST; i < step->n_in; i += 3) {
        float xs = *(const float *)hst__in(step, r, i + 1);
        int32_t xz = hst__quant_zero(step, r, i + 2, 0);
        const uint8_t *x = hst__in(step, r, i);
        size_t n = hst__desc_span(&step->in_desc[i], *axis, o->rank);
        for (int q = 0; q < 256; q++) {
            int32_t v = t == HST_DTYPE_S8 ? (int8_t)q : q;
            table[q] =
                (uint8_t)hst__quant_round((float)(v - xz) * xs / ys, yz, low, high);
        }
        for (size_t k = 0; k < outer; k++)
            for (size_t e = 0; e < n; e++)
                y[k * row + at + e] = table[x[k * n + e]];
        at += n;
    }
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    int *axis = hst__op_state(c, sizeof *axis);
    if (!axis)
        return hst__op_nomem(c, sizeof *axis);
    s->state = axis;
    s->kernel = "table_u8";
    s->run = run;
    return hst__op_axis(c, hst__attr_int(c->node, "axis", 0), c->in[FIRST].rank, false,
                        axis);
}

const hst__op hst__op_ms_QLinearConcat = {1, HST__OPSET_MAX, 5,     HST__OP_VARIADIC, 1,
                                          1, false,          infer, prepare};
