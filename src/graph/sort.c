/* Topological order and the checks that come with it. */
#include <string.h>

#include "graph/graph.h"

typedef struct sorter {
    hst__graph *g;
    int *producer;     /**< node that makes a value, -1 for none */
    int *waiting;      /**< inputs of a node that are not made yet */
    int *first, *next; /**< readers of a value: linked lists of edges */
    int *edge_node;
    int *queue;
    hst__node **sorted;
} sorter;

static int count_edges(const hst__graph *g) {
    size_t edges = 0;
    for (int i = 0; i < g->n_nodes; i++)
        edges += (size_t)g->nodes[i]->n_in;
    return edges > INT32_MAX / 2 ? -1 : (int)edges;
}

static hst_status index_producers(sorter *s, hst_error *err) {
    const hst__graph *g = s->g;
    char label[HST__NODE_LABEL];
    for (int v = 0; v < g->n_values; v++)
        s->producer[v] = s->first[v] = -1;
    for (int i = 0; i < g->n_inputs; i++)
        s->producer[g->inputs[i]] = g->n_nodes;
    for (int i = 0; i < g->n_nodes; i++) {
        const hst__node *n = g->nodes[i];
        for (int k = 0; k < n->n_out; k++) {
            hst__value_id v = n->out[k];
            if (v == HST__NONE)
                continue;
            if (s->producer[v] >= 0 || g->values[v].constant)
                return hst__fail(
                    err, HST_E_FORMAT, "%s: its output '%.200s' is made a second time",
                    hst__node_label(n, label, sizeof label), g->values[v].name);
            s->producer[v] = i;
        }
    }
    return HST_OK;
}

static hst_status link_readers(sorter *s, hst_error *err) {
    const hst__graph *g = s->g;
    char label[HST__NODE_LABEL];
    int edge = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        const hst__node *n = g->nodes[i];
        for (int k = 0; k < n->n_in; k++) {
            hst__value_id v = n->in[k];
            if (v == HST__NONE || g->values[v].constant)
                continue;
            if (s->producer[v] < 0)
                return hst__fail(
                    err, HST_E_FORMAT,
                    "%s: its input '%.200s' is made by no node, input or weight",
                    hst__node_label(n, label, sizeof label), g->values[v].name);
            if (s->producer[v] == g->n_nodes)
                continue;
            s->edge_node[edge] = i;
            s->next[edge] = s->first[v];
            s->first[v] = edge++;
            s->waiting[i]++;
        }
    }
    for (int i = 0; i < g->n_outputs; i++)
        if (s->producer[g->outputs[i]] < 0 && !g->values[g->outputs[i]].constant)
            return hst__fail(err, HST_E_FORMAT,
                             "graph output '%.200s' is made by no node",
                             g->values[g->outputs[i]].name);
    return HST_OK;
}

/** Kahn's algorithm with a first-in first-out queue: keeps the file's order where it can.
 */
static hst_status order(sorter *s, hst_error *err) {
    hst__graph *g = s->g;
    char label[HST__NODE_LABEL];
    int head = 0, tail = 0;
    for (int i = 0; i < g->n_nodes; i++)
        if (s->waiting[i] == 0)
            s->queue[tail++] = i;
    while (head < tail) {
        hst__node *n = g->nodes[s->queue[head]];
        s->sorted[head++] = n;
        for (int k = 0; k < n->n_out; k++)
            if (n->out[k] != HST__NONE)
                for (int e = s->first[n->out[k]]; e >= 0; e = s->next[e])
                    if (--s->waiting[s->edge_node[e]] == 0)
                        s->queue[tail++] = s->edge_node[e];
    }
    for (int i = 0; tail < g->n_nodes && i < g->n_nodes; i++)
        if (s->waiting[i] > 0)
            return hst__fail(err, HST_E_FORMAT, "%s: the graph runs in a circle here",
                             hst__node_label(g->nodes[i], label, sizeof label));
    if (g->n_nodes)
        memcpy(g->nodes, s->sorted, (size_t)g->n_nodes * sizeof *g->nodes);
    return HST_OK;
}

static bool in_order(const sorter *s) {
    const hst__graph *g = s->g;
    for (int i = 0; i < g->n_nodes; i++)
        for (int k = 0; k < g->nodes[i]->n_in; k++) {
            hst__value_id v = g->nodes[i]->in[k];
            if (v != HST__NONE && s->producer[v] >= i && s->producer[v] < g->n_nodes)
                return false;
        }
    return true;
}

hst_status hst__graph_sort(hst__graph *g, hst_error *err) {
    int edges = count_edges(g);
    if (edges < 0)
        return hst__fail(err, HST_E_LIMIT, "the graph has too many connections");
    size_t ints = 2 * (size_t)g->n_values + 2 * (size_t)g->n_nodes + 2 * (size_t)edges;
    sorter s = {.g = g};
    hst_status st = HST_OK;
    s.producer = hst__alloc(ints * sizeof *s.producer);
    s.sorted = hst__alloc((size_t)g->n_nodes * sizeof *s.sorted);
    if (!s.producer || !s.sorted) {
        st = hst__fail_nomem(err, ints * sizeof *s.producer);
        goto done;
    }
    s.first = s.producer + g->n_values;
    s.waiting = s.first + g->n_values;
    s.queue = s.waiting + g->n_nodes;
    s.next = s.queue + g->n_nodes;
    s.edge_node = s.next + edges;
    st = index_producers(&s, err);
    if (!st)
        st = link_readers(&s, err);
    if (!st && !in_order(&s))
        st = order(&s, err);
done:
    hst__free(s.producer);
    hst__free(s.sorted);
    return st;
}
