/* One node on known tensors. */
#include <string.h>

#include "ops/op.h"

typedef struct eval {
    hst__op_ctx ctx;
    hst__desc in[HST__OP_MAX_IN], out[HST__OP_MAX_OUT];
    uint32_t in_slots[HST__OP_MAX_IN], out_slots[HST__OP_MAX_OUT];
    void *ptr[1 + HST__OP_MAX_IN + HST__OP_MAX_OUT];
    void *copies[HST__OP_MAX_IN]; /**< aligned copies of unaligned inputs */
    hst__arena arena;
    hst__op_blocks blocks;
    hst__step step;
} eval;

/** Inputs that lie unaligned in a file map are copied where the step reads them as a
 * type. */
static bool aligned(const hst_tensor *t) {
    size_t size = hst_dtype_size(t->desc.dtype);
    return size <= 1 || (uintptr_t)t->data % size == 0;
}

static hst_status bind(eval *e, const hst_tensor *const *in, hst_tensor **outs) {
    const hst__node *n = e->ctx.node;
    for (int i = 0; i < n->n_in; i++) {
        if (!in[i])
            continue;
        e->in_slots[i] = 1 + (uint32_t)i;
        e->ptr[1 + i] = in[i]->data;
        if (aligned(in[i]) || (e->step.unaligned >> (i < 64 ? i : 63) & 1))
            continue;
        e->copies[i] = hst__alloc_raw(in[i]->bytes);
        if (!e->copies[i])
            return hst__op_nomem(&e->ctx, in[i]->bytes);
        memcpy(e->copies[i], in[i]->data, in[i]->bytes);
        e->ptr[1 + i] = e->copies[i];
    }
    for (int i = 0; i < n->n_out; i++) {
        if (!e->ctx.out_wanted[i])
            continue;
        hst_status st = hst_tensor_create(&e->out[i], &outs[i], e->ctx.err);
        if (st) {
            char label[HST__NODE_LABEL];
            return hst__fail_in(e->ctx.err, st, "%s, output %d",
                                hst__node_label(n, label, sizeof label), i);
        }
        e->out_slots[i] = 1 + (uint32_t)(n->n_in + i);
        e->ptr[e->out_slots[i]] = outs[i]->data;
    }
    return HST_OK;
}

static hst_status spend(eval *e, hst__op_budget *budget) {
    double ns = hst__step_ns(&e->step);
    budget->exceeded = ns > budget->ns;
    if (budget->exceeded)
        return hst__op_fail(
            &e->ctx, HST_E_LIMIT,
            "it would take about %.3g s on one core, and %.3g s are left for "
            "the graph: use smaller shapes",
            ns * 1e-9, budget->ns * 1e-9);
    budget->ns -= ns;
    return HST_OK;
}

static hst_status run(eval *e, const hst_tensor *const *in, hst_tensor **outs) {
    hst__step *s = &e->step;
    if (s->alias) {
        const hst_tensor *from = in[s->alias - 1];
        size_t bytes = from->bytes < outs[0]->bytes ? from->bytes : outs[0]->bytes;
        if (bytes)
            memcpy(outs[0]->data, from->data, bytes);
        return HST_OK;
    }
    size_t worker = hst__round_up(s->worker_scratch, HST__ALIGN), scratch;
    if (!hst__mul(worker, (size_t)e->ctx.threads, &scratch) ||
        !hst__add(scratch, hst__round_up(s->scratch, HST__ALIGN), &scratch))
        return hst__op_fail(&e->ctx, HST_E_LIMIT, "scratch memory overflows");
    hst__fault fault = {NULL};
    hst__run r = {.ptr = e->ptr, .threads = e->ctx.threads, .fault = &fault};
    r.scratch = hst__alloc_raw(scratch);
    if (!r.scratch)
        return hst__op_nomem(&e->ctx, scratch);
    unsigned fp = hst__cpu_flush_subnormals();
    s->run(s, &r);
    hst__cpu_restore_fp(fp);
    hst__free(r.scratch);
    return hst__fault_status(&fault, e->ctx.err);
}

hst_status hst__op_eval(const hst__node *node, const hst_tensor *const *in,
                        const bool *out_wanted, hst_cpu_level cpu, int threads,
                        hst__op_budget *budget, hst_tensor **outs, hst_error *err) {
    const hst__op *op = hst__op_get(node->op);
    memset(outs, 0, (size_t)node->n_out * sizeof *outs);
    eval *e = hst__alloc(sizeof *e);
    if (!e)
        return hst__fail_nomem(err, sizeof *e);
    e->ctx = (hst__op_ctx){.node = node,
                           .n_in = node->n_in,
                           .n_out = node->n_out,
                           .in = e->in,
                           .in_const = in,
                           .out = e->out,
                           .out_wanted = out_wanted,
                           .cpu = hst__cpu_resolve(cpu),
                           .threads = threads,
                           .arena = &e->arena,
                           .blocks = &e->blocks,
                           .err = err};
    for (int i = 0; i < node->n_in; i++)
        if (in[i])
            e->in[i] = in[i]->desc;
    e->step = (hst__step){.n_in = node->n_in,
                          .n_out = node->n_out,
                          .in = e->in_slots,
                          .out = e->out_slots,
                          .in_desc = e->in,
                          .out_desc = e->out,
                          .node = node};
    hst_status st = op->infer(&e->ctx);
    if (!st)
        st = op->prepare(&e->ctx, &e->step);
    if (!st)
        st = spend(e, budget);
    if (!st)
        st = bind(e, in, outs);
    if (!st)
        st = run(e, in, outs);
    for (int i = 0; i < node->n_in; i++)
        hst__free(e->copies[i]);
    for (int i = 0; st && i < node->n_out; i++) {
        hst_tensor_destroy(outs[i]);
        outs[i] = NULL;
    }
    hst__op_blocks_fini(&e->blocks);
    hst__arena_fini(&e->arena);
    hst__free(e);
    return st;
}
