/* com.microsoft Attention: one product makes Q, K and V, then for each head
 *     softmax(scale * Q K' + mask + bias) V.
 * Masks: lengths [batch], ends and starts [2 * batch], raw [batch, total] or [batch,
 * length, total] of 0 and 1; unidirectional hides what comes later. */
#include <math.h>
#include <string.h>

#include "kernels/rows.h"
#include "ops/pieces.h"
#include "ops/product.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, WEIGHTS, BIAS, MASK, PAST, ATTENTION_BIAS };

typedef struct sizes {
    size_t batch, length, in, heads, hidden, v_hidden; /**< hidden: of Q and K together */
} sizes;

static hst_status read_sizes(hst__op_ctx *c, sizes *s) {
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    const hst__desc *x = &c->in[X], *w = &c->in[WEIGHTS];
    int64_t heads = hst__attr_int(c->node, "num_heads", 0);
    size_t listed;
    const int64_t *parts = hst__attr_ints(c->node, "qkv_hidden_sizes", &listed);
    for (int i = PAST; i < c->n_in; i++)
        if (i != ATTENTION_BIAS && hst__op_has(c, i))
            return hst__op_fail(c, HST_E_UNSUPPORTED,
                                "input %d (past); attention without a past "
                                "is supported",
                                i);
    if (c->n_out > 1 && hst__op_wants(c, 1))
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "output 1 (present); attention without a past "
                            "is supported");
    if (hst__attr_int(c->node, "do_rotary", 0))
        return hst__op_fail(c, HST_E_UNSUPPORTED, "do_rotary 1; 0 is supported");
    if (x->rank != 3 || w->rank != 2 || w->dims[0] != x->dims[2] || heads < 1 ||
        (!parts && w->dims[1] % 3 != 0))
        return hst__op_fail(c, HST_E_SHAPE, "input, weights and %lld heads do not fit",
                            (long long)heads);
    *s = (sizes){(size_t)x->dims[0], (size_t)x->dims[1],     (size_t)x->dims[2],
                 (size_t)heads,      (size_t)w->dims[1] / 3, (size_t)w->dims[1] / 3};
    if (parts && listed == 3) {
        if (parts[0] < 1 || parts[0] != parts[1] || parts[2] < 1 ||
            parts[0] > w->dims[1] || parts[2] > w->dims[1] ||
            parts[0] + parts[1] + parts[2] != w->dims[1])
            return hst__op_fail(c, HST_E_SHAPE,
                                "qkv_hidden_sizes do not fit the weights");
        s->hidden = (size_t)parts[0];
        s->v_hidden = (size_t)parts[2];
    }
    if (s->hidden % s->heads != 0 || s->v_hidden % s->heads != 0)
        return hst__op_fail(c, HST_E_SHAPE, "%zu features do not make %zu heads",
                            s->hidden, s->heads);
    if (hst__op_has(c, BIAS) && hst__desc_size(&c->in[BIAS]) != (size_t)w->dims[1])
        return hst__op_fail(c, HST_E_SHAPE, "the bias does not fit the weights");
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    sizes s = {0};
    hst_status st = read_sizes(c, &s);
    int64_t dims[3] = {(int64_t)s.batch, (int64_t)s.length, (int64_t)s.v_hidden};
    return st ? st : hst__op_set_out(c, 0, HST_DTYPE_F32, 3, dims);
}

typedef struct attention_state {
    sizes s;
    size_t width; /**< of a row of Q, K and V together */
    float scale, filter;
    bool causal;
    hst__step projection; /**< X * WEIGHTS + BIAS into the start of the scratch memory */
    hst__softmax_row *softmax;
    hst__pieces pieces; /**< batch * heads * rows */
    size_t projected_bytes;
} attention_state;

typedef struct job {
    const hst__step *step;
    const hst__run *run;
    const float *qkv;
} job;

static int64_t mask_at(const job *j, size_t i) {
    const void *m = hst__in(j->step, j->run, MASK);
    return j->step->in_desc[MASK].dtype == HST_DTYPE_S64 ? ((const int64_t *)m)[i]
                                                         : ((const int32_t *)m)[i];
}

/** True where the query at `row` may see the key at `column`. */
static bool visible(const job *j, size_t b, size_t row, size_t column) {
    const attention_state *s = j->step->state;
    const hst__desc *m = &j->step->in_desc[MASK];
    if (s->causal && column > row)
        return false;
    if (!hst__in(j->step, j->run, MASK))
        return true;
    size_t n = s->s.length;
    if (m->rank == 1) {
        size_t batch = s->s.batch;
        bool ends = (size_t)m->dims[0] == 2 * batch;
        return (int64_t)column < mask_at(j, b) &&
               (!ends || (int64_t)column >= mask_at(j, batch + b));
    }
    size_t at = m->rank == 2 ? b * n + column : (b * n + row) * n + column;
    return mask_at(j, at) > 0;
}

static float extra(const job *j, size_t b, size_t h, size_t row, size_t column) {
    const float *p = hst__in(j->step, j->run, ATTENTION_BIAS);
    const hst__desc *d = &j->step->in_desc[ATTENTION_BIAS];
    if (!p)
        return 0;
    size_t bb = d->dims[0] == 1 ? 0 : b, hh = d->dims[1] == 1 ? 0 : h;
    size_t n = (size_t)d->dims[3];
    return p[((bb * (size_t)d->dims[1] + hh) * n + row) * n + column];
}

static float dot(const float *a, const float *b, size_t n) {
    float lane[16] = {0}, sum = 0;
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++)
            lane[k] += a[i + (size_t)k] * b[i + (size_t)k];
    for (int k = 0; k < 16; k++)
        sum += lane[k];
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void one_row(const job *j, size_t b, size_t h, size_t row, float *scores) {
    const attention_state *s = j->step->state;
    size_t n = s->s.length, head = s->s.hidden / s->s.heads;
    size_t v_head = s->s.v_hidden / s->s.heads;
    const float *base = j->qkv + b * n * s->width;
    const float *q = base + row * s->width + h * head;
    const float *k = base + s->s.hidden + h * head;
    const float *v = base + 2 * s->s.hidden + h * v_head;
    float *y = (float *)hst__out(j->step, j->run, 0) + (b * n + row) * s->s.v_hidden +
               h * v_head;
    for (size_t i = 0; i < n; i++) {
        scores[i] = dot(q, k + i * s->width, head) * s->scale + extra(j, b, h, row, i);
        if (!visible(j, b, row, i))
            scores[i] += s->filter;
    }
    s->softmax(scores, scores, n, false);
    memset(y, 0, v_head * sizeof *y);
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; e < v_head; e++)
            y[e] += scores[i] * v[i * s->width + e];
}

static void task(void *context, int index, int worker) {
    const job *j = context;
    const attention_state *s = j->step->state;
    float *scores = (float *)hst__worker_scratch(j->step, j->run, worker);
    size_t from, to;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t i = from; i < to; i++)
        one_row(j, i / s->s.length / s->s.heads, i / s->s.length % s->s.heads,
                i % s->s.length, scores);
}

static void run(const hst__step *step, const hst__run *r) {
    const attention_state *s = step->state;
    uint32_t in[3] = {1, 2, 3}, out = 4;
    void *ptr[5] = {NULL, hst__in(step, r, X), hst__in(step, r, WEIGHTS),
                    hst__in(step, r, BIAS), r->scratch};
    hst__step projection = s->projection;
    projection.in = in;
    projection.out = &out;
    hst__run inner = {ptr, r->scratch + s->projected_bytes, r->threads, r->fault};
    projection.run(&projection, &inner);
    job j = {step, r, (const float *)r->scratch};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

static hst_status check_mask(hst__op_ctx *c, const sizes *s) {
    const hst__desc *m = &c->in[MASK], *e = &c->in[ATTENTION_BIAS];
    int64_t n = (int64_t)s->length, batch = (int64_t)s->batch;
    if (hst__op_has(c, MASK)) {
        bool fits =
            (m->rank == 1 && (m->dims[0] == batch || m->dims[0] == 2 * batch)) ||
            (m->rank == 2 && m->dims[0] == batch && m->dims[1] == n) ||
            (m->rank == 3 && m->dims[0] == batch && m->dims[1] == n && m->dims[2] == n);
        if (!fits || (m->dtype != HST_DTYPE_S32 && m->dtype != HST_DTYPE_S64))
            return hst__op_fail(c, HST_E_UNSUPPORTED,
                                "a mask of rank %d and type %s; [batch], "
                                "[2 batch], [batch, n] and [batch, n, n] of integers are",
                                m->rank, hst_dtype_name(m->dtype));
    }
    if (!hst__op_has(c, ATTENTION_BIAS))
        return HST_OK;
    bool fits = e->dtype == HST_DTYPE_F32 && e->rank == 4 &&
                (e->dims[0] == 1 || e->dims[0] == batch) &&
                (e->dims[1] == 1 || e->dims[1] == (int64_t)s->heads) && e->dims[2] == n &&
                e->dims[3] == n;
    return fits ? HST_OK
                : hst__op_fail(c, HST_E_SHAPE,
                               "attention_bias does not fit [batch, heads, %lld, "
                               "%lld]",
                               (long long)n, (long long)n);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    attention_state *s = hst__op_state(c, sizeof *s);
    hst_status st = s ? read_sizes(c, &s->s) : hst__op_nomem(c, sizeof *s);
    if (!st)
        st = check_mask(c, &s->s);
    if (st)
        return st;
    for (int i = X; i <= BIAS; i++)
        if (hst__op_has(c, i) && c->in[i].dtype != HST_DTYPE_F32)
            return hst__op_bad_type(c, i, "f32, f16");
    s->width = 2 * s->s.hidden + s->s.v_hidden;
    float scale = hst__attr_float(c->node, "scale", 0);
    s->scale = scale != 0 ? scale : 1 / sqrtf((float)(s->s.hidden / s->s.heads));
    s->filter = hst__attr_float(c->node, "mask_filter_value", -10000);
    s->causal = hst__attr_int(c->node, "unidirectional", 0);
    s->softmax = hst__rows_pick(c->cpu)->softmax;
    hst__product p = {.batch = 1,
                      .m = s->s.batch * s->s.length,
                      .n = s->width,
                      .k = s->s.in,
                      .alpha = 1,
                      .a = X,
                      .b = WEIGHTS,
                      .bias = hst__op_has(c, BIAS) ? BIAS : -1,
                      .addend = -1};
    st = hst__product_prepare(c, step, &p);
    if (st)
        return st;
    s->projection = *step;
    s->projected_bytes = hst__round_up(p.m * p.n * sizeof(float), HST__ALIGN);
    size_t inner = hst__round_up(step->scratch, HST__ALIGN) +
                   (size_t)c->threads * hst__round_up(step->worker_scratch, HST__ALIGN);
    step->scratch = s->projected_bytes + inner;
    step->worker_scratch = s->s.length * sizeof(float);
    size_t rows = s->s.batch * s->s.heads * s->s.length;
    s->pieces = hst__pieces_cut(
        rows, 0.3 * (double)(s->s.length * s->s.hidden / s->s.heads), 1, c->threads);
    step->macs +=
        2.0 * (double)rows * (double)s->s.length * (double)(s->s.hidden / s->s.heads);
    step->kernel = "attention_rows";
    step->state = s;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_ms_Attention = {1, HST__OPSET_MAX, 2,     7,      1,
                                      2, false,          infer, prepare};
