/* A residual Add goes into the product that makes one of its operands: act(a*b + bias +
 * x). The later of two producers takes it, so that the other operand exists by then. */
#include "passes/match.h"

/** Where a product takes its addend; 0 for nodes that take none. */
static int addend_place(const hst__node *n) {
    switch (n->op) {
    case HST__OP_Conv:
    case HST__OP_MatMul:
    case HST__OP_Gemm:
        return 3;
    default:
        return 0;
    }
}

static bool can_take(const hst__match *m, const hst__node *n, hst__value_id v) {
    int place = n ? addend_place(n) : 0;
    return place && m->uses[v] == 1 && !n->act_kind && n->n_out == 1 &&
           (n->n_in <= place || n->in[place] == HST__NONE) &&
           m->g->values[v].desc.dtype == HST_DTYPE_F32;
}

static bool fuse(hst__match *m, int at) {
    hst__graph *g = m->g;
    const hst__node *add = g->nodes[at];
    hst__value_id a = add->in[0], b = add->in[1];
    if (a == b || g->values[b].constant || g->values[a].constant ||
        !hst__desc_equal_shape(&g->values[a].desc, &g->values[b].desc))
        return false;
    if (can_take(m, hst__match_producer(m, b), b) &&
        (!can_take(m, hst__match_producer(m, a), a) || m->producer[b] > m->producer[a])) {
        hst__value_id t = a;
        a = b;
        b = t;
    }
    hst__node *product = hst__match_producer(m, a);
    if (!can_take(m, product, a) || !hst__match_widen(g, product, 4))
        return false;
    product->in[addend_place(product)] = b;
    hst__match_absorb(m, m->producer[a], at);
    return true;
}

hst_status hst__pass_fuse_add(hst__graph *g, int *changed, hst_error *err) {
    hst__match m;
    hst_status st = hst__match_init(&m, g, err);
    for (int i = 0; !st && i < g->n_nodes; i++)
        if (g->nodes[i]->op == HST__OP_Add)
            *changed += fuse(&m, i);
    hst__match_fini(&m);
    return st;
}
