/* com.microsoft QGemm: alpha * (A - za)(B - zb) + C in integers, then scaled; quantised
 * again where y_scale is given, else f32. */
#include <string.h>

#include "ops/pieces.h"
#include "ops/qproduct.h"
#include "ops/quant.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, C, Y_SCALE, Y_ZERO };

typedef struct qgemm_state {
    size_t m, n, k;
    bool ta, tb;
    float alpha;
    hst__pieces pieces;
} qgemm_state;

static hst_status read_sizes(hst__op_ctx *c, qgemm_state *s) {
    const hst__desc *a = &c->in[A], *b = &c->in[B];
    for (int i = A; i <= B_SCALE; i++)
        if (!hst__op_has(c, i) && i != A_ZERO)
            return hst__op_fail(c, HST_E_FORMAT, "input %d is missing", i);
    if ((a->dtype != HST_DTYPE_U8 && a->dtype != HST_DTYPE_S8) ||
        (b->dtype != HST_DTYPE_U8 && b->dtype != HST_DTYPE_S8) || a->rank != 2 ||
        b->rank != 2)
        return hst__op_fail(c, HST_E_UNSUPPORTED, "A and B must be matrices of u8 or s8");
    s->ta = hst__attr_int(c->node, "transA", 0);
    s->tb = hst__attr_int(c->node, "transB", 0);
    s->alpha = hst__attr_float(c->node, "alpha", 1);
    s->m = (size_t)a->dims[s->ta];
    s->k = (size_t)a->dims[!s->ta];
    s->n = (size_t)b->dims[!s->tb];
    if ((size_t)b->dims[s->tb] != s->k)
        return hst__op_fail(c, HST_E_SHAPE, "sums over %zu and %lld products do not fit",
                            s->k, (long long)b->dims[s->tb]);
    size_t scales = hst__desc_size(&c->in[B_SCALE]);
    size_t zeros = hst__op_has(c, B_ZERO) ? hst__desc_size(&c->in[B_ZERO]) : 1;
    size_t bias = hst__op_has(c, C) ? hst__desc_size(&c->in[C]) : 1;
    if ((scales != 1 && scales != s->n) || (zeros != 1 && zeros != s->n) ||
        (bias != 1 && bias != s->n && bias != s->m * s->n))
        return hst__op_fail(c, HST_E_SHAPE,
                            "scales, zero points or C do not fit %zu columns", s->n);
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    qgemm_state s;
    hst_status st = read_sizes(c, &s);
    if (st)
        return st;
    int64_t dims[2] = {(int64_t)s.m, (int64_t)s.n};
    hst_dtype to = !hst__op_has(c, Y_SCALE) ? HST_DTYPE_F32
                   : hst__op_has(c, Y_ZERO) ? c->in[Y_ZERO].dtype
                                            : c->in[A].dtype;
    return hst__op_set_out(c, 0, to, 2, dims);
}

static void finish(const hst__step_job *j, const int32_t *sum, size_t row) {
    const qgemm_state *s = j->step->state;
    const float *bs = hst__in(j->step, j->run, B_SCALE);
    const float *ys = hst__in(j->step, j->run, Y_SCALE);
    const int32_t *bias = hst__in(j->step, j->run, C);
    float as = *(const float *)hst__in(j->step, j->run, A_SCALE);
    size_t n_scale = hst__desc_size(&j->step->in_desc[B_SCALE]);
    size_t n_bias = bias ? hst__desc_size(&j->step->in_desc[C]) : 0;
    hst_dtype t = j->step->out_desc[0].dtype;
    int64_t low = 0, high = 0;
    void *y = hst__out(j->step, j->run, 0);
    hst__quant_range(t, &low, &high);
    for (size_t i = 0; i < s->n; i++) {
        int32_t v = sum[i];
        if (bias)
            v += bias[n_bias == 1 ? 0 : n_bias == s->n ? i : row * s->n + i];
        float real = (float)v * (s->alpha * as * bs[n_scale > 1 ? i : 0]);
        if (t == HST_DTYPE_F32)
            ((float *)y)[row * s->n + i] = real;
        else
            hst__quant_store(t, y, row * s->n + i,
                             hst__quant_round(real / *ys,
                                              hst__quant_zero(j->step, j->run, Y_ZERO, 0),
                                              low, high));
    }
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const qgemm_state *s = j->step->state;
    const void *a = hst__in(j->step, j->run, A), *b = hst__in(j->step, j->run, B);
    hst_dtype ta = j->step->in_desc[A].dtype, tb = j->step->in_desc[B].dtype;
    int32_t *sum = (int32_t *)hst__worker_scratch(j->step, j->run, worker);
    int16_t *line = (int16_t *)(sum + s->n);
    int32_t az = hst__quant_zero(j->step, j->run, A_ZERO, 0);
    bool many =
        hst__in(j->step, j->run, B_ZERO) && hst__desc_size(&j->step->in_desc[B_ZERO]) > 1;
    size_t from, to;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t row = from; row < to; row++) {
        memset(sum, 0, s->n * sizeof *sum);
        for (size_t k = 0; k < s->k; k++) {
            int32_t v =
                hst__quant_load(ta, a, s->ta ? k * s->m + row : row * s->k + k) - az;
            for (size_t i = 0; i < s->n; i++)
                line[i] =
                    (int16_t)(hst__quant_load(tb, b,
                                              s->tb ? i * s->k + k : k * s->n + i) -
                              hst__quant_zero(j->step, j->run, B_ZERO, many ? i : 0));
            hst__q_axpy(v, line, sum, s->n);
        }
        finish(j, sum, row);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const qgemm_state *)step->state)->pieces.count, task, &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    qgemm_state *s = hst__op_state(c, sizeof *s);
    hst_status st = s ? read_sizes(c, s) : hst__op_nomem(c, sizeof *s);
    if (st)
        return st;
    s->pieces = hst__pieces_cut(s->n ? s->m : 0, 2.0 * (double)s->k * (double)s->n, 1,
                                c->threads);
    step->worker_scratch = s->n * (sizeof(int32_t) + sizeof(int16_t));
    step->macs = (double)s->m * (double)s->n * (double)s->k;
    step->ns = 2 * step->macs;
    step->state = s;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_ms_QGemm = {1, HST__OPSET_MAX, 6, 9, 1, 1, false, infer, prepare};
