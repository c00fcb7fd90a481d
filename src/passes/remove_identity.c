/* Identity, Dropout (at inference) and the like: readers read the input instead. */
#include "passes/match.h"

static bool is_identity(const hst__graph *g, const hst__node *n) {
    if (n->op == HST__OP_Identity)
        return true;
    if (n->op == HST__OP_Dropout)
        return n->n_out == 1 || n->out[1] == HST__NONE;
    if (n->op == HST__OP_Cast)
        return g->values[n->in[0]].desc.dtype == g->values[n->out[0]].desc.dtype;
    return false;
}

/** A graph output must stay made by a node unless its source is one too. */
static bool is_output(const hst__graph *g, hst__value_id v) {
    for (int i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] == v)
            return true;
    return false;
}

hst_status hst__pass_remove_identity(hst__graph *g, int *changed, hst_error *err) {
    (void)err;
    for (int i = 0; i < g->n_nodes; i++) {
        hst__node *n = g->nodes[i];
        if (!is_identity(g, n) || is_output(g, n->out[0]))
            continue;
        hst__graph_replace(g, n->out[0], n->in[0]);
        ++*changed;
    }
    return HST_OK;
}
