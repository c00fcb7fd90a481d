/* Gemm: alpha * A' * B' + beta * C. Passes add input 3, a tensor of the output's shape.
 */
#include "kernels/vmath.h"
#include "ops/product.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { A, B, C, ADDEND };

typedef struct sizes {
    int64_t m, n, k;
    bool ta, tb;
} sizes;

static hst_status read_sizes(hst__op_ctx *c, sizes *s) {
    hst_status st = hst__types_need(c, 2);
    if (!st)
        st = hst__types_equal(c, A, B);
    if (st)
        return st;
    s->ta = hst__attr_int(c->node, "transA", 0);
    s->tb = hst__attr_int(c->node, "transB", 0);
    if (c->in[A].rank != 2 || c->in[B].rank != 2)
        return hst__op_fail(c, HST_E_SHAPE, "matrices are needed, not ranks %d and %d",
                            c->in[A].rank, c->in[B].rank);
    s->m = c->in[A].dims[s->ta ? 1 : 0];
    s->k = c->in[A].dims[s->ta ? 0 : 1];
    s->n = c->in[B].dims[s->tb ? 0 : 1];
    if (c->in[B].dims[s->tb ? 1 : 0] != s->k)
        return hst__op_fail(c, HST_E_SHAPE, "sums over %lld and %lld products do not fit",
                            (long long)s->k, (long long)c->in[B].dims[s->tb ? 1 : 0]);
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    sizes s;
    hst_status st = read_sizes(c, &s);
    if (st)
        return st;
    int64_t dims[2] = {s.m, s.n};
    hst__desc out = {.dtype = c->in[A].dtype, .rank = 2, .dims = {s.m, s.n}}, both;
    if (hst__op_has(c, C)) {
        st = hst__op_broadcast(c, &out, &c->in[C], &both);
        if (!st && !hst__desc_equal_shape(&both, &out))
            st = hst__op_fail(c, HST_E_SHAPE, "C is larger than the product");
    }
    return st ? st : hst__op_set_out(c, 0, c->in[A].dtype, 2, dims);
}

typedef struct plain {
    sizes s;
    double alpha, beta;
    int64_t c_row, c_column; /**< strides of C; 0 where it is broadcast */
    hst__step inner;         /**< the f32 product, before beta * C is added */
    hst__act act;
    hst__act_row *row;
} plain;

/** Strides of C against rows and columns of the output. */
static void c_strides(const hst__desc *d, plain *p) {
    int64_t columns = d->rank >= 1 ? d->dims[d->rank - 1] : 1;
    int64_t rows = d->rank >= 2 ? d->dims[d->rank - 2] : 1;
    p->c_column = columns > 1 ? 1 : 0;
    p->c_row = rows > 1 ? columns : 0;
}

#define PLAIN_RUN(arg, suffix, dtype, ctype)                                             \
    static void run_##suffix(const hst__step *step, const hst__run *r) {                 \
        const plain *p = step->state;                                                    \
        const ctype *a = hst__in(step, r, A), *b = hst__in(step, r, B);                  \
        const ctype *add = hst__in(step, r, C);                                          \
        ctype *y = hst__out(step, r, 0);                                                 \
        for (int64_t i = 0; i < p->s.m; i++)                                             \
            for (int64_t j = 0; j < p->s.n; j++, y++) {                                  \
                ctype sum = 0;                                                           \
                for (int64_t t = 0; t < p->s.k; t++)                                     \
                    sum =                                                                \
                        (ctype)(sum + a[p->s.ta ? t * p->s.m + i : i * p->s.k + t] *     \
                                          b[p->s.tb ? j * p->s.k + t : t * p->s.n + j]); \
                double all = p->alpha * (double)sum;                                     \
                if (add)                                                                 \
                    all += p->beta * (double)add[i * p->c_row + j * p->c_column];        \
                *y = (ctype)all;                                                         \
            }                                                                            \
    }

#define PLAIN_TYPES(X, arg)                                                              \
    X(arg, f64, HST_DTYPE_F64, double)                                                   \
    X(arg, s32, HST_DTYPE_S32, int32_t)                                                  \
    X(arg, u32, HST_DTYPE_U32, uint32_t)                                                 \
    X(arg, s64, HST_DTYPE_S64, int64_t)                                                  \
    X(arg, u64, HST_DTYPE_U64, uint64_t)
PLAIN_TYPES(PLAIN_RUN, )

/** The product, then beta * C, addend and activation in a pass of their own: for forms of
 * C that no epilogue has. */
static void run_then_add(const hst__step *step, const hst__run *r) {
    const plain *p = step->state;
    hst__step inner = p->inner;
    inner.in = step->in;
    inner.out = step->out;
    inner.run(&inner, r);
    const float *c = hst__in(step, r, C), *addend = hst__in(step, r, ADDEND);
    float *y = hst__out(step, r, 0), beta = (float)p->beta;
    for (int64_t i = 0; i < p->s.m; i++)
        for (int64_t j = 0; j < p->s.n; j++) {
            float *v = &y[i * p->s.n + j];
            *v += beta * c[i * p->c_row + j * p->c_column];
            if (addend)
                *v += addend[i * p->s.n + j];
        }
    if (p->row)
        p->row(y, (size_t)(p->s.m * p->s.n), &p->act);
}

static hst_status prepare_f32(hst__op_ctx *c, hst__step *step, const sizes *s, plain *p) {
    hst__product product = {.batch = 1,
                            .m = (size_t)s->m,
                            .n = (size_t)s->n,
                            .k = (size_t)s->k,
                            .a_transposed = s->ta,
                            .b_transposed = s->tb,
                            .alpha = (float)p->alpha,
                            .act = hst__product_act(c->node),
                            .a = A,
                            .b = B,
                            .bias = -1,
                            .addend = -1};
    if (hst__op_has(c, ADDEND)) {
        product.addend = ADDEND;
        product.addend_rows = product.n;
    }
    if (!hst__op_has(c, C) || p->beta == 0)
        return hst__product_prepare(c, step, &product);
    bool row = p->c_row == 0 && p->beta == 1;
    bool whole = p->c_row == s->n && p->c_column == 1 && p->beta == 1;
    if (row) {
        product.bias = C;
        product.bias_scalar = p->c_column == 0 && s->n > 1;
    } else if (whole && product.addend < 0) {
        product.addend = C;
        product.addend_rows = product.n;
    } else {
        p->act = product.act;
        if (p->act.kind)
            p->row = hst__act_select(&p->act, c->cpu);
        product.act = (hst__act){.kind = HST__ACT_NONE};
        product.addend = -1;
        hst_status st = hst__product_prepare(c, step, &product);
        p->inner = *step;
        step->state = p;
        step->run = run_then_add;
        return st;
    }
    return hst__product_prepare(c, step, &product);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    static hst__step_run *const runs[HST__DTYPES] = {PLAIN_TYPES(HST__TYPE_ENTRY, run_)};
    plain *p = hst__op_state(c, sizeof *p);
    if (!p)
        return hst__op_nomem(c, sizeof *p);
    hst_status st = read_sizes(c, &p->s);
    if (st)
        return st;
    p->alpha = hst__attr_float(c->node, "alpha", 1);
    p->beta = hst__attr_float(c->node, "beta", 1);
    if (hst__op_has(c, C))
        c_strides(&c->in[C], p);
    if (c->in[A].dtype == HST_DTYPE_F32)
        return prepare_f32(c, step, &p->s, p);
    if (!runs[c->in[A].dtype])
        return hst__op_bad_type(c, A, "f32, f64, s32, u32, s64, u64");
    step->state = p;
    step->run = runs[c->in[A].dtype];
    step->macs = (double)p->s.m * (double)p->s.n * (double)p->s.k;
    return HST_OK;
}

const hst__op hst__op_Gemm = {7, HST__OPSET_MAX, 2, 3, 1, 1, false, infer, prepare};
