#include "passes/match.h"

#include <math.h>
#include <string.h>

hst_status hst__match_init(hst__match *m, hst__graph *g, hst_error *err) {
    size_t n = (size_t)g->n_values;
    *m = (hst__match){.g = g, .n_values = g->n_values};
    m->uses = hst__alloc(2 * n * sizeof *m->uses);
    if (!m->uses)
        return hst__fail_nomem(err, 2 * n * sizeof *m->uses);
    m->producer = m->uses + n;
    hst__graph_uses(g, m->uses, m->producer);
    return HST_OK;
}

void hst__match_fini(hst__match *m) { hst__free(m->uses); }

hst__node *hst__match_producer(const hst__match *m, hst__value_id v) {
    if (v < 0 || v >= m->n_values || m->producer[v] < 0)
        return NULL;
    return m->g->nodes[m->producer[v]];
}

hst__node *hst__match_sole(const hst__match *m, hst__value_id v, hst__op_kind op) {
    hst__node *n = hst__match_producer(m, v);
    return n && n->op == op && m->uses[v] == 1 ? n : NULL;
}

bool hst__match_scalar(const hst__graph *g, hst__value_id v, float *out) {
    if (v == HST__NONE)
        return false;
    const hst_tensor *t = g->values[v].constant;
    if (!t || t->desc.dtype != HST_DTYPE_F32 || hst_tensor_count(t) != 1)
        return false;
    memcpy(out, t->data, sizeof *out);
    return true;
}

bool hst__match_is(const hst__graph *g, hst__value_id v, float want) {
    float x;
    return hst__match_scalar(g, v, &x) && fabsf(x - want) <= 1e-4f * fabsf(want);
}

hst__value_id hst__match_other(const hst__node *n, hst__value_id v) {
    return n->n_in != 2    ? HST__NONE
           : n->in[0] == v ? n->in[1]
           : n->in[1] == v ? n->in[0]
                           : HST__NONE;
}

void hst__match_absorb(hst__match *m, int from, int to) {
    hst__graph *g = m->g;
    hst__node *early = g->nodes[from], *late = g->nodes[to];
    early->out[0] = late->out[0];
    for (int i = 0; i < late->n_out; i++)
        late->out[i] = HST__NONE;
    for (int i = 0; i < late->n_in; i++)
        late->in[i] = HST__NONE;
    g->nodes[to] = early;
    g->nodes[from] = late;
    m->producer[early->out[0]] = to;
}

bool hst__match_widen(hst__graph *g, hst__node *n, int n_in) {
    if (n->n_in >= n_in)
        return true;
    hst__value_id *in = hst__arena_array(&g->arena, (size_t)n_in, sizeof *in);
    if (!in)
        return false;
    for (int i = 0; i < n_in; i++)
        in[i] = i < n->n_in ? n->in[i] : HST__NONE;
    n->in = in;
    n->n_in = n_in;
    return true;
}

hst__node *hst__match_replace(hst__match *m, int at, hst__op_kind op, int opset,
                              int n_in) {
    hst__node *old = m->g->nodes[at];
    hst__node *n = hst__graph_new_node(m->g, op, n_in, old->n_out);
    if (!n)
        return NULL;
    memcpy(n->out, old->out, (size_t)old->n_out * sizeof *n->out);
    n->name = old->name;
    n->opset = opset;
    m->g->nodes[at] = n;
    return n;
}
