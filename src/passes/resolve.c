#include "passes/resolve.h"

#include <stdio.h>
#include <string.h>

#include "passes/report.h"
#include "passes/widen.h"

/** A folded constant larger than this stays a step of the run: Expand or ConstantOfShape
 * would blow the model up in memory. */
enum { FOLD_LIMIT = 256 << 20 };

/** All folded constants together: this and some times the constants of the file. */
enum { FOLD_SPACE = 1 << 30, FOLD_GROWTH = 8 };

typedef struct resolver {
    hst__graph *g;
    const hst__resolve_options *options;
    hst_error *err;
    hst__widen widen;
    hst__report report;
    bool *poisoned; /**< values that a refused or waiting node would have made */
    int n_poisoned;
    hst__op_budget budget;
    size_t space; /**< bytes that folded values may still take */
    int *uses;    /**< of each value: readers that were not folded yet */
    bool *folded; /**< values whose constant this resolving made */
    int n_counted;
    /* The node at hand. */
    hst__desc in[HST__OP_MAX_IN], out[HST__OP_MAX_OUT];
    const hst_tensor *in_const[HST__OP_MAX_IN];
    hst_tensor shape_only; /**< stands for an input of which only the shape is known */
    bool wanted[HST__OP_MAX_OUT];
} resolver;

static hst_status bind_input(resolver *r, int i) {
    hst__value *v = &r->g->values[r->g->inputs[i]];
    const hst__desc *given = &r->options->inputs[i];
    char a[HST__DESC_TEXT], b[HST__DESC_TEXT];
    bool fits = v->desc.rank < 0 || v->desc.rank == given->rank;
    for (int k = 0; fits && k < v->desc.rank; k++)
        fits = v->desc.dims[k] < 0 || v->desc.dims[k] == given->dims[k];
    if (!fits)
        return hst__fail(r->err, HST_E_SHAPE, "input '%.100s' is declared %s, given %s",
                         v->name, hst__desc_format(&v->desc, a, sizeof a),
                         hst__desc_format(given, b, sizeof b));
    if (v->desc.dtype != given->dtype)
        return hst__fail(r->err, HST_E_TYPE, "input '%.100s' is declared %s, given %s",
                         v->name, hst_dtype_name(v->desc.dtype),
                         hst_dtype_name(given->dtype));
    size_t bytes;
    if (!hst__desc_bytes(given, &bytes))
        return hst__fail(r->err, HST_E_LIMIT, "input '%.100s': %s is too large", v->name,
                         hst__desc_format(given, b, sizeof b));
    v->desc = *given;
    if (r->options->values && r->options->values[i])
        v->constant = r->options->values[i];
    return HST_OK;
}

/** Fills the context of a node; false when it reads what a refused node would have made.
 */
static bool gather(resolver *r, const hst__node *n) {
    for (int i = 0; i < n->n_in; i++) {
        hst__value_id v = n->in[i];
        r->in[i] = (hst__desc){0};
        r->in_const[i] = NULL;
        if (v == HST__NONE)
            continue;
        if (v < r->n_poisoned && r->poisoned[v])
            return false;
        r->in[i] = r->g->values[v].desc;
        r->in_const[i] = r->g->values[v].constant;
    }
    for (int i = 0; i < n->n_out; i++) {
        r->wanted[i] = n->out[i] != HST__NONE;
        r->out[i] = (hst__desc){0};
    }
    return true;
}

static void poison(resolver *r, const hst__node *n, const hst_error *one) {
    if (one)
        hst__report_add(&r->report, one);
    for (int i = 0; i < n->n_out; i++)
        if (n->out[i] != HST__NONE && n->out[i] < r->n_poisoned)
            r->poisoned[n->out[i]] = true;
}

/** Shape and Size know their answer from the shape of an input without its value. */
static bool asks_shape_only(const hst__node *n) {
    return n->op == HST__OP_Shape || n->op == HST__OP_Size;
}

/** Whether all is known that n needs; *bytes_out is the size of its outputs. */
static bool foldable(resolver *r, const hst__node *n, size_t *bytes_out) {
    size_t bytes, total = 0;
    for (int i = 0; i < n->n_out; i++)
        if (r->wanted[i] &&
            (!hst__desc_bytes(&r->out[i], &bytes) || !hst__add(total, bytes, &total)))
            return false;
    *bytes_out = total;
    if (!r->options->evaluate &&
        (total > FOLD_LIMIT || total > r->space || hst__op_get(n->op)->impure))
        return false;
    if (asks_shape_only(n)) {
        if (!r->in_const[0]) {
            r->shape_only = (hst_tensor){.desc = r->in[0]};
            r->in_const[0] = &r->shape_only;
        }
        return true;
    }
    for (int i = 0; i < n->n_in; i++)
        if (n->in[i] != HST__NONE && !r->in_const[i])
            return false;
    return true;
}

/** After n was folded: what it alone still read, and what was folded too, leaves memory.
 */
static void drop_inputs(resolver *r, const hst__node *n) {
    for (int i = 0; i < n->n_in; i++) {
        hst__value_id v = n->in[i];
        if (v == HST__NONE || v >= r->n_counted || --r->uses[v] > 0 || !r->folded[v])
            continue;
        hst_tensor *t = (hst_tensor *)r->g->values[v].constant;
        r->space += t->bytes;
        r->folded[v] = false;
        r->g->values[v].constant = NULL;
        hst__free(t->data);
        t->data = NULL;
        t->owned = false;
    }
}

static hst_status fold(resolver *r, const hst__node *n, hst_error *one) {
    hst_tensor *outs[HST__OP_MAX_OUT];
    hst_status st = hst__op_eval(n, r->in_const, r->wanted, r->options->cpu,
                                 r->options->threads, &r->budget, outs, one);
    for (int i = 0; !st && i < n->n_out; i++) {
        if (!outs[i])
            continue;
        r->space -= outs[i]->bytes;
        if (n->out[i] < r->n_counted)
            r->folded[n->out[i]] = true;
        if (!hst__graph_set_constant(r->g, n->out[i], outs[i]))
            st = hst__fail_nomem(one, sizeof(void *));
    }
    if (!st)
        drop_inputs(r, n);
    return st;
}

/** A node that would take too long stays a node, unless all must be computed. */
static bool fold_later(const resolver *r, hst_status st) {
    return st == HST_E_LIMIT && r->budget.exceeded && !r->options->evaluate;
}

/** Half floats are computed in f32, whatever the file declares them to be. */
static bool may_be(hst_dtype declared, hst_dtype inferred) {
    return declared == HST_DTYPE_NONE || declared == inferred ||
           ((declared == HST_DTYPE_F16 || declared == HST_DTYPE_BF16) &&
            inferred == HST_DTYPE_F32);
}

static hst_status set_desc(hst__op_ctx *c, hst__value *v, int i) {
    if (!may_be(v->desc.dtype, c->out[i].dtype))
        return hst__op_fail(c, HST_E_TYPE, "output %d is %s, and the file declares it %s",
                            i, hst_dtype_name(c->out[i].dtype),
                            hst_dtype_name(v->desc.dtype));
    v->desc = c->out[i];
    return HST_OK;
}

/** Infers one node and folds it if it can be; *keep says whether the node stays. */
static hst_status resolve_node(resolver *r, hst__node *n, bool *keep) {
    hst_error one = {0};
    hst__op_ctx c = {.node = n,
                     .n_in = n->n_in,
                     .n_out = n->n_out,
                     .in = r->in,
                     .in_const = r->in_const,
                     .out = r->out,
                     .out_wanted = r->wanted,
                     .cpu = r->options->cpu,
                     .threads = r->options->threads,
                     .err = &one};
    *keep = true;
    if (!gather(r, n)) {
        poison(r, n, NULL);
        return HST_OK;
    }
    hst_status st = hst__op_get(n->op)->infer(&c);
    for (int i = 0; !st && i < n->n_out; i++)
        if (r->wanted[i] && r->out[i].dtype)
            st = set_desc(&c, &r->g->values[n->out[i]], i);
    if (!st) {
        hst__widen_node(r->g, n, &r->widen);
        size_t bytes;
        if (foldable(r, n, &bytes)) {
            st = bytes > r->space
                     ? hst__op_fail(&c, HST_E_LIMIT,
                                    "with its outputs the values alive at one "
                                    "time would take more than %zu bytes: use "
                                    "smaller shapes",
                                    HST__ALLOC_MAX)
                     : fold(r, n, &one);
            *keep = st != HST_OK;
            if (fold_later(r, st))
                st = HST_OK;
        }
    }
    if (st == HST_E_UNSUPPORTED || (st == HST_E_VALUE_NEEDED && r->options->unknown)) {
        poison(r, n, st == HST_E_UNSUPPORTED ? &one : NULL);
        return HST_OK;
    }
    return st ? hst__fail(r->err, st, "%s", one.message) : HST_OK;
}

/** Resolves the nodes from `first` on and drops those that were folded. */
static hst_status resolve_nodes(resolver *r, int first) {
    hst__graph *g = r->g;
    int kept = first;
    hst_status st = HST_OK;
    for (int i = first; !st && i < g->n_nodes; i++) {
        bool keep;
        st = resolve_node(r, g->nodes[i], &keep);
        if (keep)
            g->nodes[kept++] = g->nodes[i];
    }
    if (!st)
        g->n_nodes = kept;
    return st ? st : hst__report_status(&r->report, r->err);
}

static size_t fold_space(const hst__graph *g) {
    size_t bytes = FOLD_SPACE;
    for (int v = 0; v < g->n_values; v++)
        if (g->values[v].constant)
            bytes += FOLD_GROWTH * g->values[v].constant->bytes;
    return bytes;
}

static hst_status begin(resolver *r) {
    size_t n = (size_t)r->g->n_values;
    int *producers = hst__alloc(n * sizeof *producers);
    r->poisoned = hst__alloc(n);
    r->folded = hst__alloc(n);
    r->uses = hst__alloc(n * sizeof *r->uses);
    bool ok = producers && r->poisoned && r->folded && r->uses;
    if (ok) {
        hst__graph_uses(r->g, r->uses, producers);
        r->n_poisoned = r->n_counted = (int)n;
    }
    hst__free(producers);
    return ok ? HST_OK : hst__fail_nomem(r->err, n * sizeof *producers);
}

/** What the file's half floats need at the end, and the last of the nodes. */
static hst_status finish(resolver *r) {
    int resolved = r->g->n_nodes;
    hst_status st = hst__widen_end(r->g, &r->widen, r->err);
    if (!st)
        st = resolve_nodes(r, resolved);
    if (!st)
        hst__graph_prune(r->g);
    return st;
}

hst_status hst__resolve(hst__graph *g, const hst__resolve_options *options,
                        hst_error *err) {
    hst_status st = HST_OK;
    int n_values = g->n_values;
    resolver *r = hst__alloc(sizeof *r);
    if (!r)
        return hst__fail_nomem(err, sizeof *r);
    r->g = g;
    r->options = options;
    r->budget.ns = options->seconds_max * 1e9;
    r->space = options->evaluate ? HST__ALLOC_MAX : fold_space(g);
    r->err = err;
    for (int i = 0; !st && i < g->n_inputs; i++)
        st = bind_input(r, i);
    if (!st)
        st = hst__widen_begin(g, &r->widen, err);
    if (!st)
        st = begin(r);
    if (!st)
        st = resolve_nodes(r, 0);
    if (!st && options->unknown)
        memcpy(options->unknown, r->poisoned, (size_t)n_values * sizeof *r->poisoned);
    else if (!st)
        st = finish(r);
    hst__widen_fini(&r->widen);
    hst__free(r->poisoned);
    hst__free(r->folded);
    hst__free(r->uses);
    hst__free(r);
    return st;
}
