/* com.microsoft FusedMatMul: alpha * A' * B', where ' may exchange the last two
 * dimensions. */
#include <string.h>

#include "ops/product.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { A, B };

typedef struct shapes {
    bool ta, tb;
    int64_t m, n, k;
    hst__desc batch;
} shapes;

static hst_status read_shapes(hst__op_ctx *c, shapes *s) {
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    const hst__desc *a = &c->in[A], *b = &c->in[B];
    if (a->dtype != HST_DTYPE_F32 || b->dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, a->dtype != HST_DTYPE_F32 ? A : B, "f32, f16");
    if (a->rank < 2 || b->rank < 2 || hst__attr_int(c->node, "transBatchA", 0) ||
        hst__attr_int(c->node, "transBatchB", 0))
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "ranks %d and %d, transBatchA or B; ranks "
                            "from 2 on without transBatch are",
                            a->rank, b->rank);
    s->ta = hst__attr_int(c->node, "transA", 0);
    s->tb = hst__attr_int(c->node, "transB", 0);
    s->m = a->dims[a->rank - (s->ta ? 1 : 2)];
    s->k = a->dims[a->rank - (s->ta ? 2 : 1)];
    s->n = b->dims[b->rank - (s->tb ? 2 : 1)];
    if (b->dims[b->rank - (s->tb ? 1 : 2)] != s->k)
        return hst__op_fail(c, HST_E_SHAPE, "sums over %lld and %lld products do not fit",
                            (long long)s->k,
                            (long long)b->dims[b->rank - (s->tb ? 1 : 2)]);
    hst__desc la = *a, lb = *b;
    la.rank -= 2;
    lb.rank -= 2;
    return hst__op_broadcast(c, &la, &lb, &s->batch);
}

static hst_status infer(hst__op_ctx *c) {
    shapes s;
    hst_status st = read_shapes(c, &s);
    if (st)
        return st;
    int64_t dims[HST_MAX_RANK + 2];
    memcpy(dims, s.batch.dims, (size_t)s.batch.rank * sizeof *dims);
    dims[s.batch.rank] = s.m;
    dims[s.batch.rank + 1] = s.n;
    return hst__op_set_out(c, 0, HST_DTYPE_F32, s.batch.rank + 2, dims);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    shapes s;
    hst_status st = read_shapes(c, &s);
    if (st)
        return st;
    hst__product p = {.batch = hst__desc_size(&s.batch),
                      .m = (size_t)s.m,
                      .n = (size_t)s.n,
                      .k = (size_t)s.k,
                      .a_transposed = s.ta,
                      .b_transposed = s.tb,
                      .alpha = hst__attr_float(c->node, "alpha", 1),
                      .act = hst__product_act(c->node),
                      .a = A,
                      .b = B,
                      .bias = -1,
                      .addend = -1};
    p.a_offset = hst__product_offsets(c, &c->in[A], &s.batch, p.batch);
    p.b_offset = hst__product_offsets(c, &c->in[B], &s.batch, p.batch);
    if (!p.a_offset || !p.b_offset)
        return hst__op_nomem(c, p.batch * sizeof(size_t));
    return hst__product_prepare(c, step, &p);
}

const hst__op hst__op_ms_FusedMatMul = {1, HST__OPSET_MAX, 2,     2,      1,
                                        1, false,          infer, prepare};
