#include "hasten/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "api/model.h"
#include "tensor/tensor.h"

static int more_first(const void *pa, const void *pb) {
    const hst_op_count *a = pa, *b = pb;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void count_ops(const hst__graph *g, hst_inspection *in) {
    for (int i = 0; i < g->n_nodes; i++) {
        const hst__node *n = g->nodes[i];
        size_t k = 0;
        while (k < in->n_ops && (strcmp(in->ops[k].name, n->op_type) != 0 ||
                                 strcmp(in->ops[k].domain, n->domain) != 0))
            k++;
        if (k == in->n_ops)
            in->ops[in->n_ops++] =
                (hst_op_count){.domain = n->domain, .name = n->op_type};
        in->ops[k].count++;
    }
    qsort(in->ops, in->n_ops, sizeof *in->ops, more_first);
}

/** Bits of a float: exponent mask and mantissa mask tell zero, subnormal, not finite. */
static void count_floats(const hst_tensor *t, uint32_t exponent, uint32_t mantissa,
                         size_t size, hst_weight_info *w) {
    for (size_t i = 0, n = hst_tensor_count(t); i < n; i++) {
        uint32_t bits = 0;
        memcpy(&bits, (const char *)t->data + i * size, size);
        if ((bits & (exponent | mantissa)) == 0)
            w->zeros++;
        else if ((bits & exponent) == 0)
            w->subnormals++;
        else if ((bits & exponent) == exponent)
            w->nonfinite++;
    }
}

static void count_weight(const hst_tensor *t, hst_weight_info *w, hst_inspection *in) {
    switch (t->desc.dtype) {
    case HST_DTYPE_F32:
        count_floats(t, 0x7f800000u, 0x7fffffu, 4, w);
        break;
    case HST_DTYPE_F16:
        count_floats(t, 0x7c00u, 0x3ffu, 2, w);
        break;
    case HST_DTYPE_BF16:
        count_floats(t, 0x7f80u, 0x7fu, 2, w);
        break;
    default:
        return;
    }
    in->elements += hst_tensor_count(t);
    in->zeros += w->zeros;
    in->subnormals += w->subnormals;
    in->nonfinite += w->nonfinite;
}

hst_status hst_model_inspect(const hst_model *model, hst_inspection **out,
                             hst_error *err) {
    const hst__graph *g = model->graph;
    *out = NULL;
    hst_inspection *in = hst__alloc(sizeof *in);
    if (!in)
        return hst__fail_nomem(err, sizeof *in);
    in->ops = hst__alloc((size_t)g->n_nodes * sizeof *in->ops);
    in->weights = hst__alloc((size_t)g->n_values * sizeof *in->weights);
    if (!in->ops || !in->weights) {
        hst_inspection_destroy(in);
        return hst__fail_nomem(err, (size_t)g->n_values * sizeof *in->weights);
    }
    count_ops(g, in);
    for (int v = 0; v < g->n_values; v++) {
        const hst_tensor *t = g->values[v].constant;
        if (!t)
            continue;
        hst_weight_info *w = &in->weights[in->n_weights++];
        *w = (hst_weight_info){.name = g->values[v].name, .tensor = t->desc};
        count_weight(t, w, in);
    }
    *out = in;
    return HST_OK;
}

void hst_inspection_destroy(hst_inspection *inspection) {
    if (!inspection)
        return;
    hst__free(inspection->ops);
    hst__free(inspection->weights);
    hst__free(inspection);
}
