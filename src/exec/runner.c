#include "exec/runner.h"

#include <string.h>

#include "base/clock.h"
#include "passes/resolve.h"

/** Inputs this small may hold shapes, axes, or scales: their values can join the plan. */
enum { BIND_INTS = 1024, BIND_FLOATS = 16 };

hst_status hst__runner_init(hst__runner *r, const hst__graph *graph,
                            hst__plan_cache *cache, int threads, hst_cpu_level cpu,
                            bool no_passes, hst_error *err) {
    size_t n = (size_t)graph->n_inputs;
    *r = (hst__runner){.graph = graph,
                       .cache = cache,
                       .threads = threads,
                       .cpu = hst__cpu_resolve(cpu),
                       .no_passes = no_passes,
                       .seconds_max = HST__SECONDS_MAX};
    r->inputs = hst__alloc(n * sizeof *r->inputs);
    r->bound = hst__alloc(n * sizeof *r->bound);
    r->addresses = hst__alloc(n * sizeof *r->addresses);
    if (r->inputs && r->bound && r->addresses)
        return HST_OK;
    hst__runner_fini(r);
    return hst__fail_nomem(err, n * sizeof *r->inputs);
}

static void forget(hst__runner *r) {
    hst__exec_destroy(r->exec);
    hst__plan_cache_release(r->cache, r->entry);
    hst__graph_destroy(r->evaluated);
    r->exec = NULL;
    r->entry = NULL;
    r->evaluated = NULL;
}

void hst__runner_fini(hst__runner *r) {
    forget(r);
    hst__free(r->inputs);
    hst__free(r->bound);
    hst__free(r->addresses);
    r->inputs = NULL;
    r->bound = NULL;
    r->addresses = NULL;
}

static hst_status adopt(hst__runner *r, const hst__desc *inputs,
                        const hst_tensor *const *values, bool may_cut, hst_error *err) {
    hst__plan_options options = {.inputs = inputs,
                                 .values = values,
                                 .threads = r->threads,
                                 .seconds_max = r->seconds_max,
                                 .cpu = r->cpu,
                                 .no_passes = r->no_passes,
                                 .may_cut = may_cut,
                                 .folder = r->folder,
                                 .identity = r->identity};
    hst__plan_entry *entry;
    hst_status st = hst__plan_cache_get(r->cache, r->graph, &options, &entry, err);
    if (st)
        return st;
    hst__exec *exec;
    st = hst__plan_check_time(entry->plan, r->seconds_max, err);
    if (!st)
        st = hst__exec_create(entry->plan, &exec, err);
    if (st) {
        hst__plan_cache_release(r->cache, entry);
        return st;
    }
    forget(r);
    r->entry = entry;
    r->exec = exec;
    r->plan_ns = entry->plan_ns;
    for (int i = 0; i < r->graph->n_inputs; i++) {
        r->inputs[i] = inputs[i];
        r->bound[i] = values && values[i];
    }
    return HST_OK;
}

hst_status hst__runner_plan_shapes(hst__runner *r, const hst__desc *inputs,
                                   hst_error *err) {
    return adopt(r, inputs, NULL, false, err);
}

static bool worth_binding(const hst_tensor *t) {
    switch (t->desc.dtype) {
    case HST_DTYPE_F32:
    case HST_DTYPE_F64:
    case HST_DTYPE_F16:
        return hst_tensor_count(t) <= BIND_FLOATS;
    default:
        return hst_tensor_count(t) <= BIND_INTS;
    }
}

static bool fits(const hst__runner *r, const hst_tensor *const *inputs) {
    if (!r->exec)
        return false;
    for (int i = 0; i < r->graph->n_inputs; i++) {
        if (inputs[i]->desc.dtype != r->inputs[i].dtype ||
            !hst__desc_equal_shape(&inputs[i]->desc, &r->inputs[i]))
            return false;
        if (r->bound[i] &&
            memcmp(inputs[i]->data, r->entry->values[i]->data, inputs[i]->bytes) != 0)
            return false;
    }
    return true;
}

static hst_status plan_inputs(hst__runner *r, const hst_tensor *const *inputs,
                              hst_error *err) {
    size_t n = (size_t)r->graph->n_inputs;
    hst__desc *descs = hst__alloc(n * sizeof *descs);
    const hst_tensor **values = hst__alloc(n * sizeof *values);
    hst_status st = HST_OK;
    if (!descs || !values)
        st = hst__fail_nomem(err, n * sizeof *descs);
    for (size_t i = 0; !st && i < n; i++) {
        descs[i] = inputs[i]->desc;
        if (worth_binding(inputs[i]))
            values[i] = inputs[i];
    }
    if (!st)
        st = adopt(r, descs, NULL, false, err);
    if (st == HST_E_VALUE_NEEDED)
        st = adopt(r, descs, values, false, err);
    if (st == HST_E_VALUE_NEEDED)
        st = adopt(r, descs, NULL, true, err);
    hst__free(descs);
    hst__free(values);
    return st;
}

hst_status hst__runner_prepare(hst__runner *r, const hst_tensor *const *inputs,
                               hst_error *err) {
    return fits(r, inputs) ? HST_OK : plan_inputs(r, inputs, err);
}

/** With its inputs known, folding constants computes the whole tail. */
static hst_status evaluate(hst__runner *r, const hst__graph *tail, const hst_tensor **in,
                           hst__desc *descs, hst_error *err) {
    hst__graph *g;
    hst_status st = hst__graph_clone(tail, &g, err);
    if (st)
        return st;
    for (int i = 0; i < tail->n_inputs; i++)
        descs[i] = in[i]->desc;
    hst__resolve_options options = {.inputs = descs,
                                    .values = in,
                                    .cpu = r->cpu,
                                    .threads = r->threads,
                                    .seconds_max = r->seconds_max,
                                    .evaluate = true};
    st = hst__resolve(g, &options, err);
    if (st) {
        hst__graph_destroy(g);
        return st;
    }
    r->evaluated = g;
    return HST_OK;
}

static hst_status run_tail(hst__runner *r, const hst_tensor *const *inputs,
                           hst_error *err) {
    const hst__graph *tail = r->exec->plan->tail;
    size_t n = (size_t)tail->n_inputs, own = (size_t)r->graph->n_inputs;
    hst__graph_destroy(r->evaluated); /* the last results make room */
    r->evaluated = NULL;
    const hst_tensor **in = hst__alloc(n * sizeof *in);
    hst__desc *descs = hst__alloc(n * sizeof *descs);
    hst_status st = in && descs ? HST_OK : hst__fail_nomem(err, n * sizeof *descs);
    for (size_t i = 0; !st && i < n; i++)
        in[i] = i < own ? inputs[i] : &r->exec->outputs[i - own];
    if (!st)
        st = evaluate(r, tail, in, descs, err);
    hst__free(in);
    hst__free(descs);
    return st;
}

hst_status hst__runner_run(hst__runner *r, const hst_tensor *const *inputs,
                           hst_error *err) {
    hst_status st = hst__runner_prepare(r, inputs, err);
    if (st)
        return st;
    for (int i = 0; i < r->graph->n_inputs; i++)
        r->addresses[i] = inputs[i]->data;
    st = hst__exec_run(r->exec, r->addresses, err);
    return !st && r->exec->plan->tail ? run_tail(r, inputs, err) : st;
}

const hst_tensor *hst__runner_output(const hst__runner *r, int i) {
    if (i < 0 || i >= r->graph->n_outputs || !r->exec)
        return NULL;
    if (!r->exec->plan->tail)
        return &r->exec->outputs[i];
    return r->evaluated ? r->evaluated->values[r->evaluated->outputs[i]].constant : NULL;
}
