/* Layer normalisation written out,
 *     d = x - mean(x);  d / sqrt(mean(d^2) + eps) [* gamma] [+ beta]
 * over the last axis, becomes LayerNormalization. */
#include "passes/match.h"

typedef struct finder {
    hst__match m;
    hst__graph *g;
} finder;

/** True for a ReduceMean over the last axis that keeps it. */
static bool is_row_mean(const finder *f, const hst__node *n) {
    if (!n || n->op != HST__OP_ReduceMean || !hst__attr_int(n, "keepdims", 1))
        return false;
    const hst__desc *d = &f->g->values[n->in[0]].desc;
    const hst__desc *o = &f->g->values[n->out[0]].desc;
    if (d->dtype != HST_DTYPE_F32 || d->rank < 1 || o->rank != d->rank)
        return false;
    for (int i = 0; i < d->rank - 1; i++)
        if (o->dims[i] != d->dims[i])
            return false;
    /* With a last dimension of 1 the axes cannot be told from the shapes. */
    return o->dims[d->rank - 1] == 1 && d->dims[d->rank - 1] > 1;
}

/** d*d as Pow(d, 2) or Mul(d, d). */
static bool is_square(const finder *f, const hst__node *n, hst__value_id d) {
    if (!n)
        return false;
    if (n->op == HST__OP_Pow)
        return n->in[0] == d && hst__match_is(f->g, n->in[1], 2);
    return n->op == HST__OP_Mul && n->in[0] == d && n->in[1] == d;
}

/** x - mean(x): x, or NONE. */
static hst__value_id centred(const finder *f, const hst__node *sub) {
    if (!sub || sub->op != HST__OP_Sub)
        return HST__NONE;
    const hst__node *mean = hst__match_producer(&f->m, sub->in[1]);
    return is_row_mean(f, mean) && mean->in[0] == sub->in[0] ? sub->in[0] : HST__NONE;
}

/** sqrt(mean(d^2) + eps), where d may be another copy of x - mean(x). */
static bool is_deviation(const finder *f, hst__value_id v, hst__value_id x, float *eps) {
    const hst__node *root = hst__match_sole(&f->m, v, HST__OP_Sqrt);
    const hst__node *sum = root ? hst__match_sole(&f->m, root->in[0], HST__OP_Add) : NULL;
    for (int k = 0; sum && k < 2; k++) {
        if (!hst__match_scalar(f->g, sum->in[k], eps))
            continue;
        const hst__node *mean =
            hst__match_sole(&f->m, sum->in[1 - k], HST__OP_ReduceMean);
        const hst__node *square = mean ? hst__match_producer(&f->m, mean->in[0]) : NULL;
        return is_row_mean(f, mean) && square && is_square(f, square, square->in[0]) &&
               centred(f, hst__match_producer(&f->m, square->in[0])) == x;
    }
    return false;
}

/** A constant vector over the last axis of x. */
static bool is_row_vector(const finder *f, hst__value_id v, const hst__desc *x) {
    const hst_tensor *t = f->g->values[v].constant;
    return t && t->desc.dtype == HST_DTYPE_F32 && t->desc.rank == 1 &&
           t->desc.dims[0] == x->dims[x->rank - 1];
}

/** The node at `at` if it is op(v, row vector) and the only reader of v. */
static hst__value_id vector_step(const finder *f, int at, hst__op_kind op,
                                 hst__value_id v, const hst__desc *x) {
    const hst__node *n = f->g->nodes[at];
    if (n->op != op || f->m.uses[v] != 1)
        return HST__NONE;
    hst__value_id other = hst__match_other(n, v);
    return other != HST__NONE && is_row_vector(f, other, x) ? other : HST__NONE;
}

/** Index of the only reader of v after `from`; -1 where there are several or none. */
static int reader(const finder *f, hst__value_id v, int from) {
    if (f->m.uses[v] != 1)
        return -1;
    for (int i = from + 1; i < f->g->n_nodes; i++)
        for (int k = 0; k < f->g->nodes[i]->n_in; k++)
            if (f->g->nodes[i]->in[k] == v)
                return i;
    return -1;
}

static hst__value_id ones(hst__graph *g, int64_t n, hst_error *err) {
    hst__desc desc = {.dtype = HST_DTYPE_F32, .rank = 1, .dims = {n}};
    hst_tensor *t;
    if (hst_tensor_create(&desc, &t, err))
        return HST__NONE;
    for (int64_t i = 0; i < n; i++)
        ((float *)t->data)[i] = 1;
    return hst__graph_add_constant(g, "", t);
}

static hst_status rewrite(finder *f, int div, hst__value_id x, float eps,
                          hst_error *err) {
    hst__desc desc = f->g->values[x].desc;
    hst__value_id gamma = HST__NONE, beta = HST__NONE, v = f->g->nodes[div]->out[0];
    int at = div, mul = reader(f, v, div);
    if (mul >= 0 && (gamma = vector_step(f, mul, HST__OP_Mul, v, &desc)) != HST__NONE) {
        v = f->g->nodes[at = mul]->out[0];
        int add = reader(f, v, mul);
        if (add >= 0 && (beta = vector_step(f, add, HST__OP_Add, v, &desc)) != HST__NONE)
            at = add;
    }
    if (gamma == HST__NONE)
        gamma = ones(f->g, desc.dims[desc.rank - 1], err);
    hst__node *n = gamma == HST__NONE
                       ? NULL
                       : hst__match_replace(&f->m, at, HST__OP_LayerNormalization, 17,
                                            beta == HST__NONE ? 2 : 3);
    if (!n || !hst__attr_set_float(f->g, n, "epsilon", eps) ||
        !hst__attr_set_int(f->g, n, "axis", -1))
        return hst__fail_nomem(err, sizeof *n);
    n->in[0] = x;
    n->in[1] = gamma;
    if (beta != HST__NONE)
        n->in[2] = beta;
    return HST_OK;
}

hst_status hst__pass_recognise_layernorm(hst__graph *g, int *changed, hst_error *err) {
    finder f = {.g = g};
    hst_status st = hst__match_init(&f.m, g, err);
    for (int i = 0; !st && i < g->n_nodes; i++) {
        const hst__node *div = g->nodes[i];
        float eps;
        if (div->op != HST__OP_Div)
            continue;
        hst__value_id x = centred(&f, hst__match_producer(&f.m, div->in[0]));
        if (x == HST__NONE || !is_deviation(&f, div->in[1], x, &eps))
            continue;
        st = rewrite(&f, i, x, eps, err);
        ++*changed;
    }
    hst__match_fini(&f.m);
    return st;
}
