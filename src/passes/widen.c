#include "passes/widen.h"

#include <string.h>

#include "tensor/half.h"

static bool is_half(hst_dtype t) { return t == HST_DTYPE_F16 || t == HST_DTYPE_BF16; }

/** ONNX TensorProto.DataType numbers of the types that matter here. */
enum { ONNX_F32 = 1, ONNX_F16 = 10, ONNX_BF16 = 16 };

static bool mark(hst__widen *w, hst__value_id v, hst_dtype t) {
    if (v >= w->count) {
        int count = v + 64;
        void *p = hst__realloc(w->half, (size_t)w->count * sizeof *w->half,
                               (size_t)count * sizeof *w->half);
        if (!p)
            return false;
        w->half = p;
        w->count = count;
    }
    w->half[v] = t;
    return true;
}

static hst_dtype marked(const hst__widen *w, hst__value_id v) {
    return v >= 0 && v < w->count ? w->half[v] : HST_DTYPE_NONE;
}

static hst_tensor *widened(const hst_tensor *from, hst_error *err) {
    hst__desc desc = from->desc;
    hst_tensor *t;
    desc.dtype = HST_DTYPE_F32;
    if (hst_tensor_create(&desc, &t, err))
        return NULL;
    float *out = t->data;
    for (size_t i = 0, n = hst_tensor_count(t); i < n; i++) {
        uint16_t h;
        memcpy(&h, (const char *)from->data + 2 * i, 2);
        out[i] =
            from->desc.dtype == HST_DTYPE_F16 ? hst__f16_to_f32(h) : hst__bf16_to_f32(h);
    }
    hst__op_release(from);
    return t;
}

static hst__node *cast(hst__graph *g, hst__value_id in, hst__value_id out, int to) {
    hst__node *n = hst__graph_new_node(g, HST__OP_Cast, 1, 1);
    if (!n || !hst__attr_set_int(g, n, "to", to))
        return NULL;
    n->opset = 13;
    n->in[0] = in;
    n->out[0] = out;
    return n;
}

static hst_status widen_constants(hst__graph *g, hst__widen *w, hst_error *err) {
    for (int v = 0; v < g->n_values; v++) {
        const hst_tensor *t = g->values[v].constant;
        if (!t || !is_half(t->desc.dtype))
            continue;
        hst_dtype type = t->desc.dtype;
        hst_tensor *wide = widened(t, err);
        if (!wide)
            return HST_E_NOMEM;
        if (!hst__graph_set_constant(g, v, wide) || !mark(w, v, type))
            return hst__fail_nomem(err, sizeof(void *));
    }
    return HST_OK;
}

static hst_status widen_inputs(hst__graph *g, hst__widen *w, hst_error *err) {
    for (int i = 0; i < g->n_inputs; i++) {
        hst__value_id v = g->inputs[i];
        hst_dtype type = g->values[v].desc.dtype;
        if (!is_half(type) || g->values[v].constant)
            continue;
        hst__value_id wide = hst__graph_add_value(g, g->values[v].name, NULL);
        if (wide == HST__NONE)
            return hst__fail_nomem(err, sizeof(hst__value));
        hst__graph_replace(g, v, wide);
        hst__node *n = cast(g, v, wide, ONNX_F32);
        if (!n || !hst__graph_insert(g, 0, n) || !mark(w, wide, type))
            return hst__fail_nomem(err, sizeof *n);
    }
    return HST_OK;
}

static hst_dtype half_of_onnx(int64_t number) {
    return number == ONNX_F16    ? HST_DTYPE_F16
           : number == ONNX_BF16 ? HST_DTYPE_BF16
                                 : HST_DTYPE_NONE;
}

/** Attributes that would make a half-precision value make an f32 one. */
static hst_status retarget(hst__graph *g, hst__node *n, hst__widen *w, hst_error *err) {
    static const char *const names[] = {"to", "dtype", "output_dtype"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        hst_dtype type = half_of_onnx(hst__attr_int(n, names[k], 0));
        if (type == HST_DTYPE_NONE)
            continue;
        if (!hst__attr_set_int(g, n, names[k], ONNX_F32) || !mark(w, n->out[0], type))
            return hst__fail_nomem(err, sizeof(hst__attr));
    }
    for (int a = 0; a < n->n_attr; a++) {
        const hst_tensor *t = n->attrs[a].tensor;
        if (n->attrs[a].type != HST__ATTR_TENSOR || !t || !is_half(t->desc.dtype))
            continue;
        hst_tensor *wide = widened(t, err);
        if (!wide)
            return HST_E_NOMEM;
        hst__value_id keeper = hst__graph_add_constant(g, "", wide);
        hst__attr *attrs = hst__arena_array(&g->arena, (size_t)n->n_attr, sizeof *attrs);
        if (keeper == HST__NONE || !attrs || !mark(w, n->out[0], t->desc.dtype))
            return hst__fail_nomem(err, sizeof *attrs);
        memcpy(attrs, n->attrs, (size_t)n->n_attr * sizeof *attrs);
        attrs[a].tensor = wide;
        n->attrs = attrs;
    }
    return HST_OK;
}

hst_status hst__widen_begin(hst__graph *g, hst__widen *w, hst_error *err) {
    hst_status st = widen_constants(g, w, err);
    if (!st)
        st = widen_inputs(g, w, err);
    for (int i = 0; !st && i < g->n_nodes; i++)
        st = retarget(g, g->nodes[i], w, err);
    return st;
}

void hst__widen_node(const hst__graph *g, const hst__node *n, hst__widen *w) {
    hst_dtype type = HST_DTYPE_NONE;
    for (int i = 0; i < n->n_in; i++)
        if (marked(w, n->in[i]))
            type = marked(w, n->in[i]);
    if (n->op == HST__OP_CastLike)
        type = marked(w, n->in[1]);
    if (!type || n->op == HST__OP_Cast) /* a Cast says its type itself */
        return;
    for (int i = 0; i < n->n_out; i++)
        if (n->out[i] != HST__NONE && g->values[n->out[i]].desc.dtype == HST_DTYPE_F32)
            mark(w, n->out[i], type);
}

hst_status hst__widen_end(hst__graph *g, hst__widen *w, hst_error *err) {
    for (int i = 0; i < g->n_outputs; i++) {
        hst__value_id v = g->outputs[i];
        hst_dtype type = marked(w, v);
        if (!type)
            continue;
        hst__desc desc = g->values[v].desc;
        desc.dtype = type;
        hst__value_id narrow = hst__graph_add_value(g, g->values[v].name, &desc);
        hst__node *n =
            narrow == HST__NONE
                ? NULL
                : cast(g, v, narrow, type == HST_DTYPE_F16 ? ONNX_F16 : ONNX_BF16);
        if (!n || !hst__graph_append(g, n))
            return hst__fail_nomem(err, sizeof *n);
        g->outputs[i] = narrow;
    }
    return HST_OK;
}

void hst__widen_fini(hst__widen *w) {
    hst__free(w->half);
    *w = (hst__widen){0};
}
