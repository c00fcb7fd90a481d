/* TopK: the k largest (smallest) values along an axis and where they are, in order; of
 * equal values the first comes first, NaN comes last. A heap of k indices holds the best
 * so far. */
#include <math.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, K };

static hst_status get_shape(hst__op_ctx *c, int *axis, int64_t *k) {
    hst_status st = hst__types_need(c, 1);
    *k = hst__attr_int(c->node, "k", 0);
    if (!st && c->node->opset >= 10)
        st = hst__types_need(c, 2);
    if (!st && c->node->opset >= 10)
        st = hst__op_scalar_int(c, K, 0, k);
    if (!st)
        st = hst__op_axis(c, hst__attr_int(c->node, "axis", -1), c->in[X].rank, false,
                          axis);
    if (!st && (*k < 0 || *k > c->in[X].dims[*axis]))
        st = hst__op_fail(c, HST_E_SHAPE, "k is %lld; the axis has %lld elements",
                          (long long)*k, (long long)c->in[X].dims[*axis]);
    return st;
}

static hst_status infer(hst__op_ctx *c) {
    int axis;
    int64_t k, dims[HST_MAX_RANK];
    hst_status st = get_shape(c, &axis, &k);
    if (st)
        return st;
    for (int i = 0; i < c->in[X].rank; i++)
        dims[i] = i == axis ? k : c->in[X].dims[i];
    st = hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, dims);
    if (!st && c->n_out > 1)
        st = hst__op_set_out(c, 1, HST_DTYPE_S64, c->in[X].rank, dims);
    return st;
}

typedef struct top_state {
    size_t n, k, inner;
    bool largest;
    /** Whether element i of a line comes before element j. */
    bool (*before)(const void *line, size_t stride, size_t i, size_t j, bool largest);
    void (*take)(const void *line, size_t stride, size_t i, void *y, size_t at);
    hst__pieces pieces;
} top_state;

#define TOP_TYPE(arg, suffix, dtype, ctype)                                              \
    static bool before_##suffix(const void *line, size_t stride, size_t i, size_t j,     \
                                bool largest) {                                          \
        ctype a = ((const ctype *)line)[i * stride],                                     \
              b = ((const ctype *)line)[j * stride];                                     \
        if (a != a || b != b)                                                            \
            return a != a ? b != b && i < j : true;                                      \
        return a == b ? i < j : largest ? a > b : a < b;                                 \
    }                                                                                    \
    static void take_##suffix(const void *line, size_t stride, size_t i, void *y,        \
                              size_t at) {                                               \
        ((ctype *)y)[at] = ((const ctype *)line)[i * stride];                            \
    }
HST__TYPES_NUMBER(TOP_TYPE, )

typedef struct heap {
    const top_state *s;
    const void *line;
    size_t *items; /**< the last in order is the root */
} heap;

static bool before(const heap *h, size_t i, size_t j) {
    return h->s->before(h->line, h->s->inner, i, j, h->s->largest);
}

static void sink(const heap *h, size_t at, size_t count) {
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(h, h->items[child], h->items[child + 1]))
            child++;
        if (!before(h, h->items[at], h->items[child]))
            return;
        size_t other = h->items[at];
        h->items[at] = h->items[child];
        h->items[child] = other;
    }
}

/** The best k of n, in order, into h->items. */
static void select_best(const heap *h) {
    size_t k = h->s->k;
    for (size_t i = 0; i < k; i++)
        h->items[i] = i;
    for (size_t i = k / 2; i-- > 0;)
        sink(h, i, k);
    for (size_t i = k; k && i < h->s->n; i++)
        if (before(h, i, h->items[0])) {
            h->items[0] = i;
            sink(h, 0, k);
        }
    for (size_t end = k; end-- > 1;) {
        size_t last = h->items[0];
        h->items[0] = h->items[end];
        h->items[end] = last;
        sink(h, 0, end);
    }
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const top_state *s = j->step->state;
    const char *x = hst__in(j->step, j->run, X);
    void *values = hst__out(j->step, j->run, 0);
    int64_t *indices = hst__out(j->step, j->run, 1);
    size_t from, to, size = hst_dtype_size(j->step->in_desc[X].dtype);
    heap h = {.s = s,
              .items = (size_t *)(void *)hst__worker_scratch(j->step, j->run, worker)};
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t line = from; line < to; line++) {
        size_t outer = line / s->inner, inner = line % s->inner;
        h.line = x + (outer * s->n * s->inner + inner) * size;
        select_best(&h);
        for (size_t i = 0; i < s->k; i++) {
            size_t at = (outer * s->k + i) * s->inner + inner;
            if (values)
                s->take(h.line, s->inner, h.items[i], values, at);
            if (indices)
                indices[at] = (int64_t)h.items[i];
        }
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const top_state *)step->state)->pieces.count, task, &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    static bool (*const befores[HST__DTYPES])(const void *, size_t, size_t, size_t,
                                              bool) = {
        HST__TYPES_NUMBER(HST__TYPE_ENTRY, before_)};
    static void (*const takes[HST__DTYPES])(const void *, size_t, size_t, void *,
                                            size_t) = {
        HST__TYPES_NUMBER(HST__TYPE_ENTRY, take_)};
    int axis;
    int64_t k;
    hst_status st = get_shape(c, &axis, &k);
    top_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[X];
    *s = (top_state){.n = (size_t)x->dims[axis],
                     .k = (size_t)k,
                     .inner = hst__desc_span(x, axis + 1, x->rank),
                     .largest = hst__attr_int(c->node, "largest", 1),
                     .before = befores[x->dtype],
                     .take = takes[x->dtype]};
    if (!s->before)
        return hst__op_bad_type(c, X, "integers, f32, f64");
    size_t lines = s->n ? hst__desc_size(x) / s->n : 0;
    s->pieces = hst__pieces_cut(k ? lines : 0, 4 * (double)s->n, 1, c->threads);
    step->ns = (double)hst__desc_size(x) * (8 + 8 * log2((double)s->k + 1));
    step->worker_scratch = s->k * sizeof(size_t);
    step->consumed = 1u << K;
    step->state = s;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_TopK = {7, HST__OPSET_MAX, 1, 2, 1, 2, false, infer, prepare};
