#include "graph/graph.h"

#include <stdio.h>
#include <string.h>

hst__graph *hst__graph_create(hst_error *err) {
    hst__graph *g = hst__alloc(sizeof *g);
    if (!g)
        hst__fail_nomem(err, sizeof *g);
    else
        g->name = g->producer = "";
    return g;
}

void hst__graph_destroy(hst__graph *g) {
    if (!g)
        return;
    for (int i = 0; i < g->n_owned; i++)
        hst_tensor_destroy(g->owned[i]);
    hst__free(g->owned);
    hst__free(g->values);
    hst__free(g->nodes);
    hst__free(g->inputs);
    hst__free(g->outputs);
    hst__arena_fini(&g->arena);
    hst__free(g);
}

/** Room for one more element in a doubling array. */
static bool reserve(void **items, int count, int *cap, size_t size) {
    if (count < *cap)
        return true;
    if (*cap > INT32_MAX / 2)
        return false;
    int grown = *cap ? *cap * 2 : 16;
    void *p = hst__realloc(*items, (size_t)*cap * size, (size_t)grown * size);
    if (!p)
        return false;
    *items = p;
    *cap = grown;
    return true;
}

hst__value_id hst__graph_add_value(hst__graph *g, const char *name,
                                   const hst__desc *desc) {
    if (!reserve((void **)&g->values, g->n_values, &g->cap_values, sizeof *g->values))
        return HST__NONE;
    const char *copy =
        name && *name ? hst__arena_strndup(&g->arena, name, strlen(name)) : "";
    if (!copy)
        return HST__NONE;
    hst__value *v = &g->values[g->n_values];
    *v = (hst__value){.name = copy, .desc = {.dtype = HST_DTYPE_NONE, .rank = -1}};
    if (desc)
        v->desc = *desc;
    return g->n_values++;
}

bool hst__graph_set_constant(hst__graph *g, hst__value_id v, hst_tensor *tensor) {
    if (!tensor ||
        !reserve((void **)&g->owned, g->n_owned, &g->cap_owned, sizeof *g->owned)) {
        hst_tensor_destroy(tensor);
        return false;
    }
    g->owned[g->n_owned++] = tensor;
    g->values[v].constant = tensor;
    g->values[v].desc = tensor->desc;
    return true;
}

hst__value_id hst__graph_add_constant(hst__graph *g, const char *name,
                                      hst_tensor *tensor) {
    hst__value_id v = hst__graph_add_value(g, name, NULL);
    if (v == HST__NONE) {
        hst_tensor_destroy(tensor);
        return v;
    }
    return hst__graph_set_constant(g, v, tensor) ? v : HST__NONE;
}

hst__node *hst__graph_new_node(hst__graph *g, hst__op_kind op, int n_in, int n_out) {
    hst__node *n = hst__arena_alloc(&g->arena, sizeof *n);
    if (!n)
        return NULL;
    n->in = hst__arena_array(&g->arena, (size_t)(n_in + n_out), sizeof *n->in);
    if (!n->in)
        return NULL;
    n->out = n->in + n_in;
    n->n_in = n_in;
    n->n_out = n_out;
    for (int i = 0; i < n_in + n_out; i++)
        n->in[i] = HST__NONE;
    n->op = op;
    n->opset = g->opset;
    n->name = "";
    n->op_type = hst__op_name(op);
    n->domain = hst__op_domain(op);
    return n;
}

bool hst__graph_insert(hst__graph *g, int at, hst__node *node) {
    if (!reserve((void **)&g->nodes, g->n_nodes, &g->cap_nodes, sizeof *g->nodes))
        return false;
    memmove(g->nodes + at + 1, g->nodes + at,
            (size_t)(g->n_nodes - at) * sizeof *g->nodes);
    g->nodes[at] = node;
    g->n_nodes++;
    return true;
}

static void *copy_array(const void *from, size_t bytes) {
    void *p = hst__alloc_raw(bytes);
    if (p && bytes)
        memcpy(p, from, bytes);
    return p;
}

static hst__node *clone_node(hst__graph *g, const hst__node *from) {
    hst__node *n = hst__graph_new_node(g, from->op, from->n_in, from->n_out);
    if (!n)
        return NULL;
    hst__value_id *in = n->in, *out = n->out;
    *n = *from; /* names, attributes and constants stay with the source */
    n->in = in;
    n->out = out;
    memcpy(in, from->in, (size_t)from->n_in * sizeof *in);
    memcpy(out, from->out, (size_t)from->n_out * sizeof *out);
    return n;
}

hst_status hst__graph_clone(const hst__graph *from, hst__graph **out, hst_error *err) {
    *out = NULL;
    hst__graph *g = hst__graph_create(err);
    if (!g)
        return HST_E_NOMEM;
    g->name = from->name;
    g->producer = from->producer;
    g->ir_version = from->ir_version;
    g->opset = from->opset;
    g->values = copy_array(from->values, (size_t)from->n_values * sizeof *g->values);
    g->inputs = copy_array(from->inputs, (size_t)from->n_inputs * sizeof *g->inputs);
    g->outputs = copy_array(from->outputs, (size_t)from->n_outputs * sizeof *g->outputs);
    if (!g->values || !g->inputs || !g->outputs)
        goto fail;
    g->n_values = g->cap_values = from->n_values;
    g->n_inputs = from->n_inputs;
    g->n_outputs = from->n_outputs;
    for (int i = 0; i < from->n_nodes; i++) {
        hst__node *n = clone_node(g, from->nodes[i]);
        if (!n || !hst__graph_append(g, n))
            goto fail;
    }
    *out = g;
    return HST_OK;
fail:
    hst__graph_destroy(g);
    return hst__fail_nomem(err, (size_t)from->n_nodes * sizeof(hst__node));
}

void hst__graph_uses(const hst__graph *g, int *uses, int *producer) {
    for (int v = 0; v < g->n_values; v++) {
        uses[v] = 0;
        producer[v] = -1;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        const hst__node *n = g->nodes[i];
        for (int k = 0; k < n->n_in; k++)
            if (n->in[k] != HST__NONE)
                uses[n->in[k]]++;
        for (int k = 0; k < n->n_out; k++)
            if (n->out[k] != HST__NONE)
                producer[n->out[k]] = i;
    }
    for (int i = 0; i < g->n_outputs; i++)
        uses[g->outputs[i]]++;
}

void hst__graph_replace(hst__graph *g, hst__value_id from, hst__value_id to) {
    for (int i = 0; i < g->n_nodes; i++)
        for (int k = 0; k < g->nodes[i]->n_in; k++)
            if (g->nodes[i]->in[k] == from)
                g->nodes[i]->in[k] = to;
    for (int i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] == from)
            g->outputs[i] = to;
}

int hst__graph_prune(hst__graph *g) {
    bool *live = hst__alloc((size_t)g->n_values);
    if (!live)
        return 0;
    for (int i = 0; i < g->n_outputs; i++)
        live[g->outputs[i]] = true;
    int kept = g->n_nodes;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        hst__node *n = g->nodes[i];
        bool used = false;
        for (int k = 0; k < n->n_out; k++)
            used |= n->out[k] != HST__NONE && live[n->out[k]];
        if (used) {
            for (int k = 0; k < n->n_in; k++)
                if (n->in[k] != HST__NONE)
                    live[n->in[k]] = true;
            g->nodes[--kept] = n;
        }
    }
    hst__free(live);
    int removed = kept;
    g->n_nodes -= kept;
    if (removed && g->n_nodes)
        memmove(g->nodes, g->nodes + kept, (size_t)g->n_nodes * sizeof *g->nodes);
    return removed;
}

const char *hst__node_label(const hst__node *n, char *buffer, size_t size) {
    bool foreign = n->domain && *n->domain && strcmp(n->domain, "ai.onnx") != 0;
    snprintf(buffer, size, "%s%s%s '%.120s' (opset %d)", foreign ? n->domain : "",
             foreign ? "." : "", n->op_type, n->name, n->opset);
    return buffer;
}
