/* Convolutions and poolings work on N,H,W,C. One walk in topological order gives such
 * nodes channels-last inputs; nodes between them follow where their meaning allows it;
 * all others get their inputs back in declared order by a Transpose. */
#include <string.h>

#include "passes/layout.h"

const int hst__nhwc[4] = {0, 2, 3, 1};

/** First layers read so few channels that the kernel takes them as they come. */
enum { FEW_CHANNELS = 4 };

const hst__desc *hst__layout_desc(const hst__layout *l, hst__value_id v) {
    return &l->g->values[v].desc;
}

bool hst__layout_is_nhwc(const hst__layout *l, hst__value_id v) {
    return v >= 0 && v < l->n_values && l->placed[v].id != HST__NONE &&
           l->placed[v].rank == 4;
}

void hst__layout_emit(hst__layout *l, hst__node *n) {
    if (l->n_nodes == l->cap_nodes) {
        int cap = l->cap_nodes ? 2 * l->cap_nodes : 64;
        void *p = hst__realloc(l->nodes, (size_t)l->cap_nodes * sizeof *l->nodes,
                               (size_t)cap * sizeof *l->nodes);
        if (!p) {
            l->failed = true;
            return;
        }
        l->nodes = p;
        l->cap_nodes = cap;
    }
    l->nodes[l->n_nodes++] = n;
}

void hst__layout_transpose(hst__layout *l, hst__value_id from, hst__value_id to, int rank,
                           const int *perm) {
    int64_t p[HST_MAX_RANK];
    hst__node *n = hst__graph_new_node(l->g, HST__OP_Transpose, 1, 1);
    for (int i = 0; i < rank; i++)
        p[i] = perm[i];
    if (!n || !hst__attr_set_ints(l->g, n, "perm", p, (size_t)rank)) {
        l->failed = true;
        return;
    }
    n->opset = 13;
    n->name = l->g->values[to].name;
    n->in[0] = from;
    n->out[0] = to;
    hst__layout_emit(l, n);
}

hst__value_id hst__layout_place(hst__layout *l, hst__value_id v, int rank,
                                const int *perm) {
    hst__desc desc = *hst__layout_desc(l, v);
    hst__desc lies = desc;
    for (int i = 0; i < rank; i++)
        lies.dims[i] = desc.dims[perm[i]];
    hst__value_id id = hst__graph_add_value(l->g, l->g->values[v].name, &lies);
    if (id == HST__NONE) {
        l->failed = true;
        return v;
    }
    l->placed[v].id = id;
    l->placed[v].rank = rank;
    memcpy(l->placed[v].perm, perm, (size_t)rank * sizeof *perm);
    return id;
}

hst__value_id hst__layout_nhwc(hst__layout *l, hst__value_id v) {
    if (hst__layout_is_nhwc(l, v))
        return l->placed[v].id;
    hst__layout_plain(l, v);
    hst__value_id id = hst__layout_place(l, v, 4, hst__nhwc);
    hst__layout_transpose(l, v, id, 4, hst__nhwc);
    return id;
}

void hst__layout_plain(hst__layout *l, hst__value_id v) {
    if (v < 0 || v >= l->n_values || l->plain[v])
        return;
    const hst__placed *p = &l->placed[v];
    int inverse[HST_MAX_RANK] = {0};
    for (int i = 0; i < p->rank; i++)
        inverse[p->perm[i]] = i;
    hst__layout_transpose(l, p->id, v, p->rank, inverse);
    l->plain[v] = true;
}

hst__value_id hst__layout_ints(hst__layout *l, const int64_t *values, int n) {
    hst__desc desc = {.dtype = HST_DTYPE_S64, .rank = 1, .dims = {n}};
    hst_tensor *t;
    if (hst_tensor_create(&desc, &t, l->err)) {
        l->failed = true;
        return HST__NONE;
    }
    memcpy(t->data, values, (size_t)n * sizeof *values);
    hst__value_id v = hst__graph_add_constant(l->g, "", t);
    l->failed |= v == HST__NONE;
    return v;
}

static bool is_image(const hst__layout *l, hst__value_id v) {
    const hst__desc *d = hst__layout_desc(l, v);
    return d->rank == 4 && d->dtype == HST_DTYPE_F32;
}

/** Nodes worth converting their input for. */
static bool wants_nhwc(const hst__layout *l, const hst__node *n) {
    switch (n->op) {
    case HST__OP_Conv:
    case HST__OP_ConvTranspose:
        return is_image(l, n->in[0]) && l->g->values[n->in[1]].constant;
    case HST__OP_MaxPool:
        return is_image(l, n->in[0]) && (n->n_out == 1 || n->out[1] == HST__NONE);
    case HST__OP_AveragePool:
        return is_image(l, n->in[0]);
    default:
        return false;
    }
}

static bool reads_as_it_comes(const hst__layout *l, const hst__node *n) {
    return n->op == HST__OP_Conv && !hst__layout_is_nhwc(l, n->in[0]) &&
           hst__layout_desc(l, n->in[0])->dims[1] <= FEW_CHANNELS &&
           hst__attr_int(n, "group", 1) == 1;
}

static void convert(hst__layout *l, hst__node *n) {
    if (reads_as_it_comes(l, n)) {
        hst__layout_plain(l, n->in[0]);
        l->failed |= !hst__attr_set_int(l->g, n, "input_nchw", 1);
    } else {
        n->in[0] = hst__layout_nhwc(l, n->in[0]);
    }
    int addend = n->op == HST__OP_Conv ? 3 : n->n_in;
    if (addend < n->n_in && n->in[addend] != HST__NONE)
        n->in[addend] = hst__layout_nhwc(l, n->in[addend]);
    n->channels_last = true;
    n->out[0] = hst__layout_place(l, n->out[0], 4, hst__nhwc);
    l->converted++;
    hst__layout_emit(l, n);
}

static void keep_plain(hst__layout *l, hst__node *n) {
    for (int i = 0; i < n->n_in; i++)
        hst__layout_plain(l, n->in[i]);
    for (int i = 0; i < n->n_out; i++)
        if (n->out[i] != HST__NONE)
            l->plain[n->out[i]] = true;
    hst__layout_emit(l, n);
}

static bool begin(hst__layout *l) {
    hst__graph *g = l->g;
    l->n_values = g->n_values;
    l->placed = hst__alloc((size_t)g->n_values * sizeof *l->placed);
    l->plain = hst__alloc((size_t)g->n_values);
    if (!l->placed || !l->plain)
        return false;
    for (int v = 0; v < g->n_values; v++) {
        l->placed[v].id = HST__NONE;
        l->plain[v] = g->values[v].constant;
    }
    for (int i = 0; i < g->n_inputs; i++)
        l->plain[g->inputs[i]] = true;
    return true;
}

hst_status hst__pass_channels_last(hst__graph *g, int *changed, hst_error *err) {
    hst__layout l = {.g = g, .err = err};
    l.failed = !begin(&l);
    for (int i = 0; !l.failed && i < g->n_nodes; i++) {
        hst__node *n = g->nodes[i];
        if (wants_nhwc(&l, n))
            convert(&l, n);
        else if (!hst__layout_follow(&l, n) && !hst__layout_reorder(&l, n))
            keep_plain(&l, n);
    }
    for (int i = 0; !l.failed && i < g->n_outputs; i++)
        hst__layout_plain(&l, g->outputs[i]);
    if (!l.failed) {
        *changed = l.converted;
        hst__free(g->nodes);
        g->nodes = l.nodes;
        g->n_nodes = l.n_nodes;
        g->cap_nodes = l.cap_nodes;
    } else {
        hst__free(l.nodes);
    }
    hst__free(l.placed);
    hst__free(l.plain);
    return l.failed ? hst__fail_nomem(err, (size_t)g->n_values * sizeof *l.placed)
                    : HST_OK;
}
