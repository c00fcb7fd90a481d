/* MatMul takes in what follows it: a scalar factor (attention scale) and a bias vector.
 */
#include <math.h>

#include "passes/match.h"

enum { MATMUL_BIAS = 2 };

static hst__node *matmul_of(const hst__match *m, hst__value_id v) {
    hst__node *n = hst__match_sole(m, v, HST__OP_MatMul);
    return n && n->n_in == 2 && m->g->values[v].desc.dtype == HST_DTYPE_F32 ? n : NULL;
}

/** x * c, c * x or x / c with a scalar c: the factor, and x in *v. */
static bool scalar_factor(const hst__graph *g, const hst__node *n, hst__value_id *v,
                          float *factor) {
    float c;
    if (n->op == HST__OP_Div && hst__match_scalar(g, n->in[1], &c) && c != 0) {
        *v = n->in[0];
        *factor = 1 / c;
        return isfinite(*factor);
    }
    for (int k = 0; n->op == HST__OP_Mul && k < 2; k++)
        if (hst__match_scalar(g, n->in[k], &c)) {
            *v = n->in[1 - k];
            *factor = c;
            return true;
        }
    return false;
}

static bool fuse_scale(hst__match *m, int at) {
    hst__graph *g = m->g;
    hst__value_id v;
    float factor;
    const hst__node *n = g->nodes[at];
    if (!scalar_factor(g, n, &v, &factor) ||
        g->values[n->out[0]].desc.rank != g->values[v].desc.rank)
        return false;
    hst__node *mm = matmul_of(m, v);
    if (!mm)
        return false;
    float alpha = hst__attr_float(mm, "alpha", 1) * factor;
    if (!hst__attr_set_float(g, mm, "alpha", alpha))
        return false;
    hst__match_absorb(m, m->producer[v], at);
    return true;
}

/** A constant vector [N], also as [1,...,1,N], for a product with N columns. */
static bool is_bias(const hst__graph *g, hst__value_id v, int64_t columns) {
    const hst_tensor *t = g->values[v].constant;
    return t && t->desc.dtype == HST_DTYPE_F32 && t->desc.rank >= 1 &&
           (int64_t)hst_tensor_count(t) == columns &&
           t->desc.dims[t->desc.rank - 1] == columns;
}

static bool fuse_bias(hst__match *m, int at) {
    hst__graph *g = m->g;
    const hst__node *add = g->nodes[at];
    for (int k = 0; add->op == HST__OP_Add && k < 2; k++) {
        hst__node *mm = matmul_of(m, add->in[k]);
        const hst__desc *d = &g->values[add->in[k]].desc;
        if (!mm || d->rank < 1 || !is_bias(g, add->in[1 - k], d->dims[d->rank - 1]) ||
            g->values[add->in[1 - k]].desc.rank > d->rank)
            continue;
        hst__value_id bias = add->in[1 - k];
        if (!hst__match_widen(g, mm, MATMUL_BIAS + 1))
            return false;
        mm->in[MATMUL_BIAS] = bias;
        hst__match_absorb(m, m->producer[add->in[k]], at);
        return true;
    }
    return false;
}

hst_status hst__pass_fuse_matmul(hst__graph *g, int *changed, hst_error *err) {
    hst__match m;
    hst_status st = hst__match_init(&m, g, err);
    for (int i = 0; !st && i < g->n_nodes; i++)
        *changed += fuse_scale(&m, i) || fuse_bias(&m, i);
    hst__match_fini(&m);
    return st;
}
