#include "exec/session.h"

#include <string.h>

static hst_status bind_outputs(hst__exec *e, hst_error *err) {
    const hst__graph *g = e->plan->graph;
    e->outputs = hst__alloc((size_t)g->n_outputs * sizeof *e->outputs);
    e->copies = hst__alloc((size_t)g->n_outputs * sizeof *e->copies);
    if (!e->outputs || !e->copies)
        return hst__fail_nomem(err, (size_t)g->n_outputs * sizeof *e->outputs);
    for (int i = 0; i < g->n_outputs; i++) {
        hst_tensor *t = &e->outputs[i];
        t->desc = g->values[g->outputs[i]].desc;
        if (!hst__desc_bytes(&t->desc, &t->bytes))
            return hst__fail(err, HST_E_INTERNAL, "output %d has no known shape", i);
        t->data = e->ptr[g->outputs[i] + 1];
        if (e->plan->slots[g->outputs[i] + 1].kind == HST__SLOT_ARENA)
            continue;
        e->copies[i] = t->data = hst__alloc_raw(t->bytes);
        if (!t->data)
            return hst__fail_nomem(err, t->bytes);
    }
    return HST_OK;
}

hst_status hst__exec_create(const hst__plan *plan, hst__exec **out, hst_error *err) {
    *out = NULL;
    hst_status st = HST_OK;
    hst__exec *e = hst__alloc(sizeof *e);
    if (!e)
        return hst__fail_nomem(err, sizeof *e);
    e->plan = plan;
    size_t arena = hst__round_up(plan->arena_bytes, HST__ALIGN);
    if (!hst__add(arena, plan->scratch_bytes, &e->bytes)) {
        st = hst__fail(err, HST_E_LIMIT, "the memory plan overflows");
        goto fail;
    }
    e->ptr = hst__alloc((size_t)plan->n_slots * sizeof *e->ptr);
    e->memory = hst__alloc(e->bytes);
    if (!e->ptr || !e->memory) {
        st = hst__fail_nomem(err, e->bytes);
        goto fail;
    }
    e->run = (hst__run){.ptr = e->ptr,
                        .scratch = e->memory + arena,
                        .threads = plan->threads,
                        .fault = &e->fault};
    for (int i = 0; i < plan->n_slots; i++) {
        if (plan->slots[i].kind == HST__SLOT_CONSTANT)
            e->ptr[i] = plan->slots[i].constant;
        else if (plan->slots[i].kind == HST__SLOT_ARENA)
            e->ptr[i] = e->memory + plan->slots[i].offset;
    }
    st = bind_outputs(e, err);
    if (st)
        goto fail;
    hst__pool_warm(plan->threads);
    *out = e;
    return HST_OK;
fail:
    hst__exec_destroy(e);
    return st;
}

void hst__exec_destroy(hst__exec *e) {
    if (!e)
        return;
    for (int i = 0; e->copies && i < e->plan->graph->n_outputs; i++)
        hst__free(e->copies[i]);
    hst__free(e->copies);
    hst__free(e->outputs);
    hst__free(e->memory);
    hst__free(e->ptr);
    hst__free(e);
}

static void run_steps(hst__exec *e) {
    const hst__plan *p = e->plan;
    for (int i = 0; i < p->n_steps; i++)
        if (!p->steps[i].alias)
            p->steps[i].run(&p->steps[i], &e->run);
}

static void run_probed(hst__exec *e) {
    const hst__plan *p = e->plan;
    for (int i = 0; i < p->n_steps; i++) {
        if (p->steps[i].alias)
            continue;
        e->probe->begin(e->probe->user, i);
        p->steps[i].run(&p->steps[i], &e->run);
        e->probe->end(e->probe->user, i);
    }
}

hst_status hst__exec_run(hst__exec *e, const void *const *inputs, hst_error *err) {
    const hst__plan *p = e->plan;
    e->fault.step = NULL;
    for (int i = 0; i < p->n_slots; i++)
        if (p->slots[i].kind == HST__SLOT_INPUT)
            e->ptr[i] = (void *)inputs[p->slots[i].input];
    unsigned fp = hst__cpu_flush_subnormals();
    if (e->probe)
        run_probed(e);
    else
        run_steps(e);
    hst__cpu_restore_fp(fp);
    for (int i = 0; i < p->graph->n_outputs; i++)
        if (e->copies[i])
            memcpy(e->copies[i], e->ptr[p->graph->outputs[i] + 1], e->outputs[i].bytes);
    return hst__fault_status(&e->fault, err);
}
