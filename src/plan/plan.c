#include "plan/plan.h"

#include <string.h>

#include "passes/cut.h"
#include "passes/passes.h"
#include "passes/report.h"
#include "plan/store.h"

/** Folding constants takes no longer than this on one core, by estimate. */
static const double fold_seconds = 10;

/** One node becomes one step: infer once more (passes changed shapes), then prepare. */
static hst_status prepare_step(hst__plan *p, const hst__node *n, hst__step *s,
                               hst_error *err) {
    hst__graph *g = p->graph;
    hst__desc *descs =
        hst__arena_array(&p->arena, (size_t)(n->n_in + n->n_out), sizeof *descs);
    uint32_t *slots =
        hst__arena_array(&p->arena, (size_t)(n->n_in + n->n_out), sizeof *slots);
    const hst_tensor **consts =
        hst__arena_array(&p->arena, (size_t)n->n_in, sizeof *consts);
    bool *wanted = hst__arena_array(&p->arena, (size_t)n->n_out, sizeof *wanted);
    if (!descs || !slots || !consts || !wanted)
        return hst__fail_nomem(err, sizeof *descs);
    for (int i = 0; i < n->n_in; i++)
        if (n->in[i] != HST__NONE) {
            descs[i] = g->values[n->in[i]].desc;
            consts[i] = g->values[n->in[i]].constant;
            slots[i] = (uint32_t)n->in[i] + 1;
        }
    for (int i = 0; i < n->n_out; i++)
        if (n->out[i] != HST__NONE) {
            wanted[i] = true;
            slots[n->n_in + i] = (uint32_t)n->out[i] + 1;
        }
    *s = (hst__step){.n_in = n->n_in,
                     .n_out = n->n_out,
                     .in = slots,
                     .out = slots + n->n_in,
                     .in_desc = descs,
                     .out_desc = descs + n->n_in,
                     .node = n,
                     .kernel = "reference"};
    hst__op_ctx c = {.node = n,
                     .n_in = n->n_in,
                     .n_out = n->n_out,
                     .in = descs,
                     .in_const = consts,
                     .out = descs + n->n_in,
                     .out_wanted = wanted,
                     .cpu = p->cpu,
                     .threads = p->threads,
                     .arena = &p->arena,
                     .blocks = &p->blocks,
                     .err = err};
    const hst__op *op = hst__op_get(n->op);
    hst_status st = op->infer(&c);
    for (int i = 0; !st && i < n->n_out; i++)
        if (wanted[i])
            g->values[n->out[i]].desc = c.out[i];
    return st ? st : op->prepare(&c, s);
}

static void count_time(hst__plan *p, int i) {
    double ns = hst__step_ns(&p->steps[i]);
    p->macs += p->steps[i].macs;
    p->ns += ns;
    if (i == 0 || ns > hst__step_ns(&p->steps[p->slowest]))
        p->slowest = i;
}

static hst_status prepare_steps(hst__plan *p, hst_error *err) {
    hst__graph *g = p->graph;
    hst__report report = {0};
    p->steps = hst__arena_array(&p->arena, (size_t)g->n_nodes + 1, sizeof *p->steps);
    if (!p->steps)
        return hst__fail_nomem(err, (size_t)g->n_nodes * sizeof *p->steps);
    for (int i = 0; i < g->n_nodes; i++) {
        hst_error one = {0};
        hst_status st = prepare_step(p, g->nodes[i], &p->steps[i], &one);
        if (st == HST_E_UNSUPPORTED)
            hst__report_add(&report, &one);
        else if (st)
            return hst__fail(err, st, "%s", one.message);
        count_time(p, i);
    }
    p->n_steps = g->n_nodes;
    return hst__report_status(&report, err);
}

/** Which constants some step reads at run time, and whether typed (so: aligned). */
enum { UNREAD = 0, READ_BYTES = 1, READ_TYPED = 2 };

static void mark_reads(const hst__plan *p, unsigned char *reads) {
    for (int i = 0; i < p->n_steps; i++) {
        const hst__step *s = &p->steps[i];
        for (int k = 0; k < s->n_in; k++) {
            int bit = k < 64 ? k : 63;
            if (s->consumed >> bit & 1)
                continue;
            unsigned char how = s->unaligned >> bit & 1 ? READ_BYTES : READ_TYPED;
            if (reads[s->in[k]] < how)
                reads[s->in[k]] = how;
        }
    }
    for (int i = 0; i < p->graph->n_outputs; i++)
        if (!reads[p->graph->outputs[i] + 1])
            reads[p->graph->outputs[i] + 1] = READ_BYTES;
}

static hst_status place_constant(hst__plan *p, hst__slot *slot, const hst_tensor *t,
                                 unsigned char how, hst_error *err) {
    slot->kind = HST__SLOT_CONSTANT;
    slot->constant = t->data;
    size_t size = hst_dtype_size(t->desc.dtype);
    if (how == READ_BYTES || size <= 1 || (uintptr_t)t->data % size == 0)
        return HST_OK;
    hst__op_ctx c = {.blocks = &p->blocks};
    bool filled;
    void *copy = hst__op_block(&c, t->bytes, &filled);
    if (!copy)
        return hst__fail_nomem(err, t->bytes);
    if (!filled) {
        memcpy(copy, t->data, t->bytes);
        hst__op_release(t);
    }
    slot->constant = copy;
    return HST_OK;
}

static hst_status place_fixed(hst__plan *p, hst_error *err) {
    hst__graph *g = p->graph;
    p->n_slots = g->n_values + 1;
    p->slots = hst__arena_array(&p->arena, (size_t)p->n_slots, sizeof *p->slots);
    unsigned char *reads = hst__alloc((size_t)p->n_slots);
    hst_status st = HST_OK;
    if (!p->slots || !reads)
        st = hst__fail_nomem(err, (size_t)p->n_slots * sizeof *p->slots);
    for (int i = 0; !st && i < g->n_inputs; i++)
        p->slots[g->inputs[i] + 1] = (hst__slot){.kind = HST__SLOT_INPUT, .input = i};
    if (!st)
        mark_reads(p, reads);
    for (int v = 0; !st && v < g->n_values; v++)
        if (g->values[v].constant && reads[v + 1])
            st = place_constant(p, &p->slots[v + 1], g->values[v].constant, reads[v + 1],
                                err);
    hst__free(reads);
    return st;
}

/** Packed weights may be larger than those of the file, and a weight may be packed for
 * several nodes, but not for a thousand. */
static void limit_blocks(hst__plan *p, const hst__graph *g) {
    const size_t space = (size_t)1 << 30, growth = 16;
    p->blocks.bytes_max = space;
    for (int v = 0; v < g->n_values; v++)
        if (g->values[v].constant)
            p->blocks.bytes_max += growth * g->values[v].constant->bytes;
}

hst_status hst__plan_check_time(const hst__plan *p, double seconds_max, hst_error *err) {
    char label[HST__NODE_LABEL];
    if (p->ns <= seconds_max * 1e9)
        return HST_OK;
    const hst__step *s = &p->steps[p->slowest];
    return hst__fail(
        err, HST_E_LIMIT,
        "a run would take about %.3g s on one core, %.3g s of it in %s; at most "
        "%g s are accepted: use smaller shapes",
        p->ns * 1e-9, hst__step_ns(s) * 1e-9,
        hst__node_label(s->node, label, sizeof label), seconds_max);
}

/** The graph with all its shapes; where these wait for a run's values, and it may be cut,
 * its head. */
static hst_status resolve_graph(hst__plan *p, const hst__graph *graph,
                                const hst__resolve_options *options, bool may_cut,
                                hst_error *err) {
    hst_status st = hst__graph_clone(graph, &p->graph, err);
    if (!st)
        st = hst__resolve(p->graph, options, err);
    if (st != HST_E_VALUE_NEEDED || !may_cut)
        return st;
    hst__graph_destroy(p->graph);
    st = hst__cut(graph, options, &p->graph, &p->tail, err);
    return st ? st : hst__resolve(p->graph, options, err);
}

/** What the head makes is what the tail gets. */
static void describe_border(const hst__graph *head, hst__graph *tail) {
    const hst__value_id *inputs = tail->inputs + tail->n_inputs - head->n_outputs;
    for (int i = 0; i < head->n_outputs; i++)
        tail->values[inputs[i]].desc = head->values[head->outputs[i]].desc;
}

/** Takes the store over. */
static hst_status create(const hst__graph *graph, const hst__plan_options *options,
                         hst__store *store, hst__plan **out, hst_error *err) {
    hst__plan *p = hst__alloc(sizeof *p);
    if (!p) {
        hst__store_close(store);
        return hst__fail_nomem(err, sizeof *p);
    }
    p->threads = options->threads;
    p->cpu = hst__cpu_resolve(options->cpu);
    hst__resolve_options resolve = {.inputs = options->inputs,
                                    .values = options->values,
                                    .cpu = p->cpu,
                                    .threads = 1,
                                    .seconds_max = options->seconds_max < fold_seconds
                                                       ? options->seconds_max
                                                       : fold_seconds};
    limit_blocks(p, graph);
    p->store = store;
    if (store) {
        p->blocks.find = hst__store_find;
        p->blocks.user = store;
    }
    hst_status st = resolve_graph(p, graph, &resolve, options->may_cut, err);
    if (!st && !options->no_passes)
        st = hst__passes_run(p->graph, err);
    if (!st)
        st = prepare_steps(p, err);
    if (!st)
        st = place_fixed(p, err);
    if (!st)
        st = hst__plan_memory(p, err);
    if (!st && p->tail)
        describe_border(p->graph, p->tail);
    if (st) {
        hst__plan_destroy(p);
        return st;
    }
    *out = p;
    return HST_OK;
}

hst_status hst__plan_create(const hst__graph *graph, const hst__plan_options *options,
                            hst__plan **out, hst_error *err) {
    *out = NULL;
    hst__store *store = hst__store_open(graph, options);
    hst_status st = create(graph, options, store, out, err);
    if (st || !store || hst__store_fits(store, &(*out)->blocks))
        return st;
    hst__plan_destroy(*out);
    *out = NULL;
    return create(graph, options, NULL, out, err);
}

void hst__plan_destroy(hst__plan *p) {
    if (!p)
        return;
    hst__graph_destroy(p->graph);
    hst__graph_destroy(p->tail);
    hst__op_blocks_fini(&p->blocks);
    hst__store_close(p->store);
    hst__arena_fini(&p->arena);
    hst__free(p);
}
