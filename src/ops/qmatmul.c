#include "ops/qmatmul.h"

#include <string.h>

#include "ops/pieces.h"
#include "ops/product.h"
#include "ops/qproduct.h"
#include "ops/quant.h"
#include "ops/types.h"

typedef struct qmatmul_state {
    hst__qmatmul q;
    size_t m, n, k, batches;
    const size_t *a_offset, *b_offset;
    hst__pieces pieces; /**< rows of all batches */
} qmatmul_state;

static bool is_byte(hst_dtype t) { return t == HST_DTYPE_U8 || t == HST_DTYPE_S8; }

static bool present(const hst__op_ctx *c, int i) { return i >= 0 && hst__op_has(c, i); }

static hst_status read_shapes(hst__op_ctx *c, const hst__qmatmul *q, hst__desc *a,
                              hst__desc *b, hst__desc *batch) {
    *a = c->in[q->a];
    *b = c->in[q->b];
    if (!is_byte(a->dtype) || !is_byte(b->dtype))
        return hst__op_bad_type(c, is_byte(a->dtype) ? q->b : q->a, "u8, s8");
    if (a->rank < 1 || b->rank < 1)
        return hst__op_fail(c, HST_E_SHAPE, "a scalar cannot be multiplied as a matrix");
    if (a->rank == 1) {
        a->dims[1] = a->dims[0];
        a->dims[0] = 1;
        a->rank = 2;
    }
    if (b->rank == 1) {
        b->dims[1] = 1;
        b->rank = 2;
    }
    if (a->dims[a->rank - 1] != b->dims[b->rank - 2])
        return hst__op_fail(c, HST_E_SHAPE, "sums over %lld and %lld products do not fit",
                            (long long)a->dims[a->rank - 1],
                            (long long)b->dims[b->rank - 2]);
    hst__desc la = *a, lb = *b;
    la.rank -= 2;
    lb.rank -= 2;
    return hst__op_broadcast(c, &la, &lb, batch);
}

hst_status hst__qmatmul_infer(hst__op_ctx *c, const hst__qmatmul *q) {
    hst__desc a, b, batch;
    hst_status st = read_shapes(c, q, &a, &b, &batch);
    if (st)
        return st;
    int64_t dims[HST_MAX_RANK + 2];
    int rank = batch.rank;
    memcpy(dims, batch.dims, (size_t)rank * sizeof *dims);
    if (c->in[q->a].rank > 1)
        dims[rank++] = a.dims[a.rank - 2];
    if (c->in[q->b].rank > 1)
        dims[rank++] = b.dims[b.rank - 1];
    return hst__op_set_out(c, 0, q->y_scale < 0 ? HST_DTYPE_S32 : c->in[q->y_zero].dtype,
                           rank, dims);
}

/** A parameter that is one for all, one a row or column, or one for each of a batch. */
static size_t parameter(const hst__step *s, int input, size_t batch, size_t i, size_t n) {
    size_t count = hst__desc_size(&s->in_desc[input]);
    return count == 1 ? 0 : count == n ? i : batch * n + i;
}

static float scale_at(const hst__step_job *j, int input, size_t batch, size_t i,
                      size_t n) {
    const float *p = hst__in(j->step, j->run, input);
    return p[parameter(j->step, input, batch, i, n)];
}

static void finish_row(const hst__step_job *j, const int32_t *sum, size_t batch,
                       size_t row) {
    const qmatmul_state *s = j->step->state;
    const hst__qmatmul *q = &s->q;
    char *y = hst__out(j->step, j->run, 0);
    size_t at = (batch * s->m + row) * s->n;
    if (q->y_scale < 0) {
        memcpy((int32_t *)y + at, sum, s->n * sizeof *sum);
        return;
    }
    hst_dtype t = j->step->out_desc[0].dtype;
    int64_t low = 0, high = 0;
    hst__quant_range(t, &low, &high);
    float sa = scale_at(j, q->a_scale, batch, row, s->m);
    float sy = scale_at(j, q->y_scale, batch, 0, 1);
    int32_t zero = hst__quant_zero(j->step, j->run, q->y_zero, 0);
    for (size_t i = 0; i < s->n; i++) {
        float sb = scale_at(j, q->b_scale, batch, i, s->n);
        hst__quant_store(
            t, y, at + i,
            hst__quant_round((float)sum[i] * (sa * sb / sy), zero, low, high));
    }
}

static int32_t zero_of(const hst__step_job *j, int input, size_t batch, size_t i,
                       size_t n) {
    if (input < 0 || !hst__in(j->step, j->run, input))
        return 0;
    return hst__quant_zero(j->step, j->run, input,
                           parameter(j->step, input, batch, i, n));
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const qmatmul_state *s = j->step->state;
    const hst__qmatmul *q = &s->q;
    hst_dtype ta = j->step->in_desc[q->a].dtype, tb = j->step->in_desc[q->b].dtype;
    int32_t *sum = (int32_t *)hst__worker_scratch(j->step, j->run, worker);
    int16_t *line = (int16_t *)(sum + s->n);
    size_t from, to;
    hst__pieces_get(&s->pieces, index, &from, &to);
    bool per_column = q->b_zero >= 0 && hst__in(j->step, j->run, q->b_zero) &&
                      hst__desc_size(&j->step->in_desc[q->b_zero]) > 1;
    for (size_t r = from; r < to; r++) {
        size_t batch = r / s->m, row = r % s->m;
        const char *a = (const char *)hst__in(j->step, j->run, q->a) +
                        s->a_offset[batch] + row * s->k;
        const char *b = (const char *)hst__in(j->step, j->run, q->b) + s->b_offset[batch];
        int32_t az = zero_of(j, q->a_zero, batch, row, s->m);
        int32_t bz = per_column ? 0 : zero_of(j, q->b_zero, batch, 0, s->n);
        memset(sum, 0, s->n * sizeof *sum);
        for (size_t k = 0; k < s->k; k++) {
            int32_t v = hst__quant_load(ta, a, k) - az;
            hst__q_centre(tb, b + k * s->n, bz, line, s->n);
            for (size_t i = 0; per_column && i < s->n; i++)
                line[i] = (int16_t)(line[i] - zero_of(j, q->b_zero, batch, i, s->n));
            hst__q_axpy(v, line, sum, s->n);
        }
        finish_row(j, sum, batch, row);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const qmatmul_state *)step->state)->pieces.count, task,
                  &j);
}

hst_status hst__qmatmul_prepare(hst__op_ctx *c, hst__step *step, const hst__qmatmul *q) {
    hst__desc a, b, batch;
    hst_status st = read_shapes(c, q, &a, &b, &batch);
    qmatmul_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    s->q = *q;
    s->m = (size_t)a.dims[a.rank - 2];
    s->k = (size_t)a.dims[a.rank - 1];
    s->n = (size_t)b.dims[b.rank - 1];
    s->batches = hst__desc_size(&batch);
    s->a_offset = hst__product_offsets(c, &a, &batch, s->batches);
    s->b_offset = hst__product_offsets(c, &b, &batch, s->batches);
    if (!s->a_offset || !s->b_offset)
        return hst__op_nomem(c, s->batches * sizeof(size_t));
    const int ones[] = {q->a_zero, q->b_zero, q->a_scale, q->b_scale};
    const size_t sizes[] = {s->m, s->n, s->m, s->n};
    for (int i = 0; i < 4; i++) {
        size_t count = present(c, ones[i]) ? hst__desc_size(&c->in[ones[i]]) : 1;
        if (count != 1 && count != sizes[i] && count != s->batches * sizes[i])
            return hst__op_fail(c, HST_E_SHAPE,
                                "input %d has %zu elements for %zu rows or "
                                "columns",
                                ones[i], count, sizes[i]);
    }
    s->pieces = hst__pieces_cut(s->n ? s->batches * s->m : 0,
                                0.2 * (double)s->k * (double)s->n, 1, c->threads);
    step->worker_scratch = s->n * (sizeof(int32_t) + sizeof(int16_t));
    step->macs = (double)s->batches * (double)s->m * (double)s->n * (double)s->k;
    step->ns = 2 * step->macs;
    step->state = s;
    step->run = run;
    return HST_OK;
}
