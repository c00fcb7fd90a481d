#include "passes/cut.h"

#include <string.h>

typedef enum cut_mark {
    WAITS = 1,  /**< made by a node that waits for a run's values */
    READY = 2,  /**< made by a node that does not */
    WANTED = 4, /**< read by a node that waits, or an output of the graph */
} cut_mark;

static bool waits(const hst__node *n, const unsigned char *marks) {
    for (int i = 0; i < n->n_out; i++)
        if (n->out[i] != HST__NONE && marks[n->out[i]] & WAITS)
            return true;
    return false;
}

/** Marks the values that wait; graph is not changed. */
static hst_status find_waiting(const hst__graph *graph,
                               const hst__resolve_options *options, unsigned char *marks,
                               hst_error *err) {
    hst__graph *g;
    size_t n = (size_t)graph->n_values;
    bool *unknown = hst__alloc(n * sizeof *unknown);
    if (!unknown)
        return hst__fail_nomem(err, n);
    hst__resolve_options probe = *options;
    probe.unknown = unknown;
    hst_status st = hst__graph_clone(graph, &g, err);
    if (!st) {
        st = hst__resolve(g, &probe, err);
        hst__graph_destroy(g);
    }
    for (size_t v = 0; v < n; v++)
        marks[v] = unknown[v] ? WAITS : 0;
    hst__free(unknown);
    return st;
}

/** Marks what the head must hand over. */
static void find_border(const hst__graph *g, unsigned char *marks) {
    for (int i = 0; i < g->n_nodes; i++) {
        const hst__node *n = g->nodes[i];
        bool late = waits(n, marks);
        for (int k = 0; late && k < n->n_in; k++)
            if (n->in[k] != HST__NONE)
                marks[n->in[k]] |= WANTED;
        for (int k = 0; !late && k < n->n_out; k++)
            if (n->out[k] != HST__NONE)
                marks[n->out[k]] |= READY;
    }
    for (int i = 0; i < g->n_outputs; i++)
        marks[g->outputs[i]] |= WANTED;
}

static void keep_nodes(hst__graph *g, const unsigned char *marks, bool late) {
    int kept = 0;
    for (int i = 0; i < g->n_nodes; i++)
        if (waits(g->nodes[i], marks) == late)
            g->nodes[kept++] = g->nodes[i];
    g->n_nodes = kept;
}

/** `first` ids and, behind them, those of the values between head and tail. */
static hst__value_id *list_border(const hst__graph *g, const unsigned char *marks,
                                  const hst__value_id *first, int n_first, int *count) {
    int n = n_first;
    for (int v = 0; v < g->n_values; v++)
        n += marks[v] == (READY | WANTED);
    hst__value_id *list = hst__alloc((size_t)n * sizeof *list);
    if (!list)
        return NULL;
    if (n_first)
        memcpy(list, first, (size_t)n_first * sizeof *list);
    *count = n_first;
    for (int v = 0; v < g->n_values; v++)
        if (marks[v] == (READY | WANTED))
            list[(*count)++] = v;
    return list;
}

static hst_status cut(const hst__graph *graph, const unsigned char *marks,
                      hst__graph **head, hst__graph **tail, hst_error *err) {
    hst_status st = hst__graph_clone(graph, head, err);
    if (!st)
        st = hst__graph_clone(graph, tail, err);
    if (st)
        return st;
    int n_inputs, n_border;
    hst__value_id *border = list_border(graph, marks, NULL, 0, &n_border),
                  *inputs = list_border(graph, marks, graph->inputs, graph->n_inputs,
                                        &n_inputs);
    if (!border || !inputs) {
        hst__free(border);
        hst__free(inputs);
        return hst__fail_nomem(err, (size_t)graph->n_values * sizeof *border);
    }
    keep_nodes(*head, marks, false);
    hst__free((*head)->outputs);
    (*head)->outputs = border;
    (*head)->n_outputs = n_border;
    keep_nodes(*tail, marks, true);
    hst__free((*tail)->inputs);
    (*tail)->inputs = inputs;
    (*tail)->n_inputs = n_inputs;
    return HST_OK;
}

hst_status hst__cut(const hst__graph *graph, const hst__resolve_options *options,
                    hst__graph **head, hst__graph **tail, hst_error *err) {
    *head = *tail = NULL;
    unsigned char *marks = hst__alloc((size_t)graph->n_values);
    if (!marks)
        return hst__fail_nomem(err, (size_t)graph->n_values);
    hst_status st = find_waiting(graph, options, marks, err);
    if (!st) {
        find_border(graph, marks);
        st = cut(graph, marks, head, tail, err);
    }
    hst__free(marks);
    if (st) {
        hst__graph_destroy(*head);
        hst__graph_destroy(*tail);
        *head = *tail = NULL;
    }
    return st;
}
