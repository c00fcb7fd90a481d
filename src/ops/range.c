/* Range: start, start + delta, ... below limit. */
#include <math.h>
#include <string.h>

#include "ops/types.h"
#include "ops/unary.h"

enum { START, LIMIT, DELTA, COUNT_MAX = 1000000000 };

static bool is_float(hst_dtype t) { return t == HST_DTYPE_F32 || t == HST_DTYPE_F64; }

/** The value of input i, as a float and, where the type is one, as a whole number. */
static hst_status scalar(hst__op_ctx *c, int i, double *out, int64_t *whole) {
    float single;
    hst_status st = hst__op_has(c, i) && c->in_const[i] ? HST_OK : HST_E_VALUE_NEEDED;
    if (st)
        return hst__op_fail(c, st, "the value of input %d must be known", i);
    if (hst__desc_size(&c->in[i]) != 1)
        return hst__op_fail(c, HST_E_SHAPE, "input %d is not one number", i);
    *whole = 0;
    if (c->in[i].dtype == HST_DTYPE_F32) { /* the value may lie unaligned in a file */
        memcpy(&single, c->in_const[i]->data, sizeof single);
        *out = (double)single;
    } else if (c->in[i].dtype == HST_DTYPE_F64) {
        memcpy(out, c->in_const[i]->data, sizeof *out);
    } else {
        st = hst__op_scalar_int(c, i, 0, whole);
        *out = (double)*whole;
    }
    return st;
}

typedef struct range_state {
    double start, delta;
    int64_t whole_start, whole_delta, count;
} range_state;

static hst_status read(hst__op_ctx *c, range_state *s) {
    double limit;
    int64_t whole_limit;
    hst_status st = hst__types_need(c, 3);
    if (!st)
        st = scalar(c, START, &s->start, &s->whole_start);
    if (!st)
        st = scalar(c, LIMIT, &limit, &whole_limit);
    if (!st)
        st = scalar(c, DELTA, &s->delta, &s->whole_delta);
    if (st)
        return st;
    double count = ceil((limit - s->start) / s->delta);
    if (s->delta == 0 || count != count)
        return hst__op_fail(c, HST_E_SHAPE, "from %g to %g by %g", s->start, limit,
                            s->delta);
    if (count > COUNT_MAX)
        return hst__op_fail(c, HST_E_LIMIT,
                            "from %g to %g by %g are %g numbers; at most %d are made",
                            s->start, limit, s->delta, count, COUNT_MAX);
    s->count = count > 0 ? (int64_t)count : 0;
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    range_state s;
    hst_status st = read(c, &s);
    return st ? st : hst__op_set_out(c, 0, c->in[START].dtype, 1, &s.count);
}

static void run(const hst__step *step, const hst__run *r) {
    const range_state *s = step->state;
    void *y = hst__out(step, r, 0);
    hst_dtype t = step->out_desc[0].dtype;
    for (int64_t i = 0; i < s->count; i++) {
        double v = s->start + (double)i * s->delta;
        uint64_t whole =
            (uint64_t)s->whole_start + (uint64_t)i * (uint64_t)s->whole_delta;
        if (t == HST_DTYPE_F32)
            ((float *)y)[i] = (float)v;
        else if (t == HST_DTYPE_F64)
            ((double *)y)[i] = v;
        else if (t == HST_DTYPE_S64)
            ((int64_t *)y)[i] = (int64_t)whole;
        else if (t == HST_DTYPE_S32)
            ((int32_t *)y)[i] = (int32_t)whole;
        else
            ((int16_t *)y)[i] = (int16_t)whole;
    }
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    range_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    hst_dtype t = c->in[START].dtype;
    if (!is_float(t) && t != HST_DTYPE_S64 && t != HST_DTYPE_S32 && t != HST_DTYPE_S16)
        return hst__op_bad_type(c, START, "f32, f64, s16, s32, s64");
    hst_status st = read(c, s);
    step->state = s;
    step->consumed = 7;
    step->run = run;
    return st;
}

const hst__op hst__op_Range = {11, HST__OPSET_MAX, 3, 3, 1, 1, false, infer, prepare};
