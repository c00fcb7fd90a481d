/* MatMul: NumPy's rules. Passes add the inputs 2 (bias of a row) and 3 (a tensor of the
 * output's shape) and the attribute alpha. */
#include <string.h>

#include "ops/product.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { A, B, BIAS, ADDEND };

typedef struct shapes {
    hst__desc a, b;  /**< rank >= 2: vectors became matrices */
    hst__desc batch; /**< broadcast leading dimensions */
    int64_t m, n, k;
} shapes;

static hst__desc leading(const hst__desc *d) {
    hst__desc r = *d;
    r.rank -= 2;
    return r;
}

static hst_status read_shapes(hst__op_ctx *c, shapes *s) {
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__types_equal(c, A, B);
    if (st)
        return st;
    s->a = c->in[A];
    s->b = c->in[B];
    if (s->a.rank < 1 || s->b.rank < 1)
        return hst__op_fail(c, HST_E_SHAPE, "a scalar cannot be multiplied as a matrix");
    if (s->a.rank == 1) {
        s->a.dims[1] = s->a.dims[0];
        s->a.dims[0] = 1;
        s->a.rank = 2;
    }
    if (s->b.rank == 1) {
        s->b.dims[1] = 1;
        s->b.rank = 2;
    }
    s->m = s->a.dims[s->a.rank - 2];
    s->k = s->a.dims[s->a.rank - 1];
    s->n = s->b.dims[s->b.rank - 1];
    if (s->b.dims[s->b.rank - 2] != s->k) {
        char ta[HST__DESC_TEXT], tb[HST__DESC_TEXT];
        return hst__op_fail(c, HST_E_SHAPE, "%s and %s do not multiply",
                            hst__desc_format(&c->in[A], ta, sizeof ta),
                            hst__desc_format(&c->in[B], tb, sizeof tb));
    }
    hst__desc la = leading(&s->a), lb = leading(&s->b);
    return hst__op_broadcast(c, &la, &lb, &s->batch);
}

static hst_status infer(hst__op_ctx *c) {
    shapes s;
    hst_status st = read_shapes(c, &s);
    if (st)
        return st;
    int64_t dims[HST_MAX_RANK + 2];
    int rank = s.batch.rank;
    memcpy(dims, s.batch.dims, (size_t)rank * sizeof *dims);
    if (c->in[A].rank > 1)
        dims[rank++] = s.m;
    if (c->in[B].rank > 1)
        dims[rank++] = s.n;
    return hst__op_set_out(c, 0, c->in[A].dtype, rank, dims);
}

static hst_status prepare_f32(hst__op_ctx *c, hst__step *step, const shapes *s) {
    hst__product p = {.batch = hst__desc_size(&s->batch),
                      .m = (size_t)s->m,
                      .n = (size_t)s->n,
                      .k = (size_t)s->k,
                      .alpha = hst__attr_float(c->node, "alpha", 1),
                      .act = hst__product_act(c->node),
                      .a = A,
                      .b = B,
                      .bias = -1,
                      .addend = -1};
    if (hst__op_has(c, BIAS))
        p.bias = BIAS;
    if (hst__op_has(c, ADDEND)) {
        p.addend = ADDEND;
        p.addend_rows = p.n;
    }
    if (s->b.rank == 2) { /* all rows of all batches against the one B */
        p.m *= p.batch;
        p.batch = 1;
    } else {
        p.a_offset = hst__product_offsets(c, &s->a, &s->batch, p.batch);
        p.b_offset = hst__product_offsets(c, &s->b, &s->batch, p.batch);
        if (!p.a_offset || !p.b_offset)
            return hst__op_nomem(c, p.batch * sizeof(size_t));
    }
    return hst__product_prepare(c, step, &p);
}

/* Other element types: the definition, as it stands. */

typedef struct plain {
    shapes s;
    const size_t *a_offset, *b_offset;
    size_t batches;
} plain;

#define PLAIN_RUN(arg, suffix, dtype, ctype)                                             \
    static void run_##suffix(const hst__step *step, const hst__run *r) {                 \
        const plain *p = step->state;                                                    \
        size_t m = (size_t)p->s.m, n = (size_t)p->s.n, k = (size_t)p->s.k;               \
        ctype *y = hst__out(step, r, 0);                                                 \
        for (size_t q = 0; q < p->batches; q++) {                                        \
            const ctype *a = (const ctype *)hst__in(step, r, A) + p->a_offset[q];        \
            const ctype *b = (const ctype *)hst__in(step, r, B) + p->b_offset[q];        \
            for (size_t i = 0; i < m; i++)                                               \
                for (size_t j = 0; j < n; j++, y++) {                                    \
                    ctype sum = 0;                                                       \
                    for (size_t t = 0; t < k; t++)                                       \
                        sum = (ctype)(sum + a[i * k + t] * b[t * n + j]);                \
                    *y = sum;                                                            \
                }                                                                        \
        }                                                                                \
    }

#define PLAIN_TYPES(X, arg)                                                              \
    X(arg, f64, HST_DTYPE_F64, double)                                                   \
    X(arg, s32, HST_DTYPE_S32, uint32_t)                                                 \
    X(arg, u32, HST_DTYPE_U32, uint32_t)                                                 \
    X(arg, s64, HST_DTYPE_S64, uint64_t)                                                 \
    X(arg, u64, HST_DTYPE_U64, uint64_t)
PLAIN_TYPES(PLAIN_RUN, )

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    static hst__step_run *const runs[HST__DTYPES] = {PLAIN_TYPES(HST__TYPE_ENTRY, run_)};
    shapes s;
    hst_status st = read_shapes(c, &s);
    if (st)
        return st;
    if (c->in[A].dtype == HST_DTYPE_F32)
        return prepare_f32(c, step, &s);
    if (!runs[c->in[A].dtype])
        return hst__op_bad_type(c, A, "f32, f64, s32, u32, s64, u64");
    plain *p = hst__op_state(c, sizeof *p);
    if (!p)
        return hst__op_nomem(c, sizeof *p);
    p->s = s;
    p->batches = hst__desc_size(&s.batch);
    p->a_offset = hst__product_offsets(c, &s.a, &s.batch, p->batches);
    p->b_offset = hst__product_offsets(c, &s.b, &s.batch, p->batches);
    if (!p->a_offset || !p->b_offset)
        return hst__op_nomem(c, p->batches * sizeof(size_t));
    step->state = p;
    step->run = runs[c->in[A].dtype];
    step->macs = (double)p->batches * (double)s.m * (double)s.n * (double)s.k;
    step->ns = 2 * step->macs;
    return HST_OK;
}

const hst__op hst__op_MatMul = {7, HST__OPSET_MAX, 2, 2, 1, 1, false, infer, prepare};
