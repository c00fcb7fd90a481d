/* GraphProto: initialisers, inputs, outputs, nodes. */
#include <string.h>

#include "onnx/reader.h"
#include "onnx/schema.h"

static hst_status bad(hst__reader *r, const char *what) {
    return hst__fail(r->err, HST_E_FORMAT, "%s is not valid protobuf", what);
}

static hst_status no_memory(hst__reader *r) { return hst__fail_nomem(r->err, 64); }

static hst_status read_initializer(hst__reader *r, hst__span message) {
    hst__span name;
    hst_tensor *t;
    hst_status st = hst__tensor_read(message, &r->source, &name, &t, r->err);
    if (st)
        return st;
    hst__value_id v = hst__names_get(&r->names, name);
    if (v == HST__NONE) {
        hst_tensor_destroy(t);
        return no_memory(r);
    }
    if (r->g->values[v].constant) {
        hst_tensor_destroy(t);
        return hst__fail(r->err, HST_E_FORMAT,
                         "there are two weights of the name '%.200s'",
                         r->g->values[v].name);
    }
    return hst__graph_set_constant(r->g, v, t) ? HST_OK : no_memory(r);
}

typedef struct value_parts {
    hst__span name, type, tensor_type;
    hst__desc desc;
    hst__dim_names dims;
} value_parts;

static bool read_dim(hst__reader *r, hst__span message, int64_t *size,
                     const char **name) {
    hst__wire w;
    hst__wire_field f;
    *size = -1;
    hst__wire_open(&w, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag == DIM_VALUE)
            *size = (int64_t)f.number;
        else if (f.tag == DIM_PARAM && f.bytes.size)
            *name = hst__reader_text(r, f.bytes);
    }
    if (*size < -1)
        *size = -1;
    return !w.failed;
}

static hst_status read_shape(hst__reader *r, hst__span message, value_parts *v) {
    hst__wire w;
    hst__wire_field f;
    v->desc.rank = 0;
    hst__wire_open(&w, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag != SHAPE_DIM)
            continue;
        if (v->desc.rank == HST_MAX_RANK)
            return hst__fail(r->err, HST_E_UNSUPPORTED, "'%.*s' has a rank over %d",
                             (int)(v->name.size > 200 ? 200 : v->name.size),
                             (const char *)v->name.data, HST_MAX_RANK);
        if (!read_dim(r, f.bytes, &v->desc.dims[v->desc.rank],
                      &v->dims.names[v->desc.rank]))
            return bad(r, "a shape");
        v->desc.rank++;
    }
    return w.failed ? bad(r, "a shape") : HST_OK;
}

static hst_dtype dtype_of(uint64_t onnx) {
    switch (onnx) {
#define TYPE_CASE(name, bytes, text, number)                                             \
    case number:                                                                         \
        return name;
        HST_DTYPE_LIST(TYPE_CASE)
#undef TYPE_CASE
    default:
        return HST_DTYPE_NONE;
    }
}

/** ValueInfoProto. A type that is no tensor leaves the element type NONE. */
static hst_status read_value(hst__reader *r, hst__span message, value_parts *v) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = HST_OK;
    *v = (value_parts){.desc = {.rank = -1}};
    hst__wire_open(&w, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag == VALUE_NAME)
            v->name = f.bytes;
        else if (f.tag == VALUE_TYPE)
            v->type = f.bytes;
    }
    if (w.failed)
        return bad(r, "a graph input or output");
    hst__wire_open(&w, v->type);
    while (hst__wire_next(&w, &f))
        if (f.tag == TYPE_TENSOR)
            v->tensor_type = f.bytes;
    if (w.failed)
        return bad(r, "a type");
    hst__wire_open(&w, v->tensor_type);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag == TYPE_TENSOR_ELEMENT)
            v->desc.dtype = dtype_of(f.number);
        else if (f.tag == TYPE_TENSOR_SHAPE)
            st = read_shape(r, f.bytes, v);
    }
    return st ? st : w.failed ? bad(r, "a type") : HST_OK;
}

static hst_status read_input(hst__reader *r, hst__span message) {
    value_parts parts;
    hst__graph *g = r->g;
    hst_status st = read_value(r, message, &parts);
    if (st)
        return st;
    hst__value_id v = hst__names_get(&r->names, parts.name);
    if (v == HST__NONE)
        return no_memory(r);
    if (g->values[v].constant) /* before IR 4 weights were inputs too */
        return HST_OK;
    if (!parts.desc.dtype)
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "input '%.200s' is not a tensor of a supported element type",
                         g->values[v].name);
    for (int i = 0; i < g->n_inputs; i++)
        if (g->inputs[i] == v)
            return hst__fail(r->err, HST_E_FORMAT, "there are two inputs '%.200s'",
                             g->values[v].name);
    g->values[v].desc = parts.desc;
    r->file->input_dims[g->n_inputs] = parts.dims;
    g->inputs[g->n_inputs++] = v;
    return HST_OK;
}

static hst_status read_output(hst__reader *r, hst__span message) {
    value_parts parts;
    hst__graph *g = r->g;
    hst_status st = read_value(r, message, &parts);
    if (st)
        return st;
    hst__value_id v = hst__names_get(&r->names, parts.name);
    if (v == HST__NONE)
        return no_memory(r);
    if (!g->values[v].constant && g->values[v].desc.rank < 0)
        g->values[v].desc = parts.desc;
    r->file->output_dims[g->n_outputs] = parts.dims;
    g->outputs[g->n_outputs++] = v;
    return HST_OK;
}

static hst_status take_lists(hst__reader *r, hst__span message) {
    hst__wire w;
    hst__wire_field f;
    size_t inputs = 0, outputs = 0;
    hst__wire_open(&w, message);
    while (hst__wire_next(&w, &f)) {
        inputs += f.tag == GRAPH_INPUT;
        outputs += f.tag == GRAPH_OUTPUT;
        if (f.tag == GRAPH_NAME && !(r->g->name = hst__reader_text(r, f.bytes)))
            return no_memory(r);
        if (f.tag == GRAPH_SPARSE_INITIALIZER)
            return hst__fail(r->err, HST_E_UNSUPPORTED,
                             "sparse weights are not supported: store them dense");
    }
    if (w.failed)
        return bad(r, "the graph");
    r->g->inputs = hst__alloc(inputs * sizeof *r->g->inputs);
    r->g->outputs = hst__alloc(outputs * sizeof *r->g->outputs);
    r->file->input_dims = hst__arena_array(&r->g->arena, inputs, sizeof(hst__dim_names));
    r->file->output_dims =
        hst__arena_array(&r->g->arena, outputs, sizeof(hst__dim_names));
    return r->g->inputs && r->g->outputs && r->file->input_dims && r->file->output_dims
               ? HST_OK
               : no_memory(r);
}

/** All fields of one number, in the order of the file. */
static hst_status each(hst__reader *r, hst__span message, uint32_t tag,
                       hst_status (*read)(hst__reader *, hst__span)) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = HST_OK;
    hst__wire_open(&w, message);
    while (!st && hst__wire_next(&w, &f))
        if (f.tag == tag)
            st = read(r, f.bytes);
    return st;
}

hst_status hst__reader_graph(hst__reader *r, hst__span message) {
    hst_status st = take_lists(r, message);
    if (!st)
        st = each(r, message, GRAPH_INITIALIZER, read_initializer);
    if (!st)
        st = each(r, message, GRAPH_INPUT, read_input);
    if (!st)
        st = each(r, message, GRAPH_NODE, hst__reader_node);
    if (!st)
        st = each(r, message, GRAPH_OUTPUT, read_output);
    return st ? st : hst__graph_sort(r->g, r->err);
}
