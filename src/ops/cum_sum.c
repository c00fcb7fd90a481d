/* CumSum: running sums along an axis, from the end with reverse, of what lies before with
 * exclusive. */
#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, AXIS };

static hst_status get_axis(hst__op_ctx *c, int *axis) {
    int64_t number = 0;
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__op_scalar_int(c, AXIS, 0, &number);
    return st ? st : hst__op_axis(c, number, c->in[X].rank, false, axis);
}

static hst_status infer(hst__op_ctx *c) {
    int axis;
    hst_status st = get_axis(c, &axis);
    return st ? st : hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, c->in[X].dims);
}

typedef struct cum_state {
    size_t n, inner;
    bool exclusive, reverse;
    void (*row)(const struct cum_state *s, const void *x, void *y, size_t base);
    hst__pieces pieces;
} cum_state;

/* Signed sums wrap around, as the standard's other arithmetic does. */
#define CUM_ROW(arg, suffix, dtype, ctype, sum_type)                                     \
    static void row_##suffix(const cum_state *s, const void *from, void *to,             \
                             size_t base) {                                              \
        const ctype *x = (const ctype *)from + base;                                     \
        ctype *y = (ctype *)to + base;                                                   \
        sum_type sum = 0;                                                                \
        for (size_t k = 0; k < s->n; k++) {                                              \
            size_t i = (s->reverse ? s->n - 1 - k : k) * s->inner;                       \
            sum_type before = sum, v = (sum_type)x[i];                                   \
            sum += v;                                                                    \
            y[i] = (ctype)(s->exclusive ? before : sum);                                 \
        }                                                                                \
    }
CUM_ROW(, f32, HST_DTYPE_F32, float, float)
CUM_ROW(, f64, HST_DTYPE_F64, double, double)
CUM_ROW(, s32, HST_DTYPE_S32, int32_t, uint32_t)
CUM_ROW(, s64, HST_DTYPE_S64, int64_t, uint64_t)
CUM_ROW(, u32, HST_DTYPE_U32, uint32_t, uint32_t)
CUM_ROW(, u64, HST_DTYPE_U64, uint64_t, uint64_t)

typedef struct job {
    const cum_state *s;
    const void *x;
    void *y;
} job;

static void task(void *context, int index, int worker) {
    const job *j = context;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&j->s->pieces, index, &from, &to);
    for (size_t i = from; i < to; i++)
        j->s->row(j->s, j->x, j->y,
                  i / j->s->inner * j->s->n * j->s->inner + i % j->s->inner);
}

static void run(const hst__step *step, const hst__run *r) {
    const cum_state *s = step->state;
    job j = {s, hst__in(step, r, X), hst__out(step, r, 0)};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    static void (*const rows[HST__DTYPES])(const cum_state *, const void *, void *,
                                           size_t) = {
        [HST_DTYPE_F32] = row_f32, [HST_DTYPE_F64] = row_f64, [HST_DTYPE_S32] = row_s32,
        [HST_DTYPE_S64] = row_s64, [HST_DTYPE_U32] = row_u32, [HST_DTYPE_U64] = row_u64};
    int axis;
    hst_status st = get_axis(c, &axis);
    cum_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[X];
    *s = (cum_state){.n = (size_t)x->dims[axis],
                     .inner = hst__desc_span(x, axis + 1, x->rank),
                     .exclusive = hst__attr_int(c->node, "exclusive", 0),
                     .reverse = hst__attr_int(c->node, "reverse", 0),
                     .row = rows[x->dtype]};
    if (!s->row)
        return hst__op_bad_type(c, X, "f32, f64, s32, s64, u32, u64");
    size_t lines = s->n ? hst__desc_size(x) / s->n : 0;
    s->pieces = hst__pieces_cut(lines, 2 + (double)s->n, 1, c->threads);
    step->consumed = 1u << AXIS;
    step->in_place = 1u << X;
    step->state = s;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_CumSum = {11, HST__OPSET_MAX, 2, 2, 1, 1, false, infer, prepare};
