/* GraphProto: initialisers, inputs, nodes, outputs. */
#include "onnx/reader.h"

static hst_status read_initializer(hst__reader *r, const hst__frame *frame,
                                   hst__span message) {
    hst__span name;
    hst_tensor *t;
    hst__value_id v;
    hst_status st = hst__reader_tensor(r, message, &name, &t);
    if (st)
        return st;
    if (name.size == 0)
        st = hst__fail(r->err, HST_E_FORMAT, "a weight has no name");
    else
        st = hst__reader_value(r, frame, name, &v);
    if (st) {
        hst_tensor_destroy(t);
        return st;
    }
    return hst__reader_constant(r, v, t);
}

/** Inputs that are initialisers too are constants: before IR 4 all weights were listed
 * so, since then it says that a caller may give another value, which is not offered. */
static hst_status read_input(hst__reader *r, const hst__frame *frame, hst__span message) {
    hst__value_parts parts;
    hst__graph *g = r->g;
    hst__value_id v;
    hst_status st = hst__reader_value_info(r, "input", message, &parts);
    if (!st)
        st = hst__reader_value(r, frame, parts.name, &v);
    if (st || g->values[v].constant)
        return st;
    if (!parts.typed)
        return hst__fail(r->err, HST_E_FORMAT, "input '%.200s' has no type",
                         g->values[v].name);
    if (g->values[v].desc.dtype) /* only inputs have a type by now */
        return hst__fail(r->err, HST_E_FORMAT, "input '%.200s' is there a second time",
                         g->values[v].name);
    g->values[v].desc = parts.desc;
    r->file->input_dims[g->n_inputs] = parts.dims;
    g->inputs[g->n_inputs++] = v;
    return HST_OK;
}

static hst_status read_output(hst__reader *r, const hst__frame *frame,
                              hst__span message) {
    hst__value_parts parts;
    hst__graph *g = r->g;
    hst__value_id v;
    hst_status st = hst__reader_value_info(r, "output", message, &parts);
    if (!st)
        st = hst__reader_value(r, frame, parts.name, &v);
    if (st)
        return st;
    if (!g->values[v].desc.dtype)
        g->values[v].desc = parts.desc;
    r->file->output_dims[g->n_outputs] = parts.dims;
    g->outputs[g->n_outputs++] = v;
    return HST_OK;
}

static hst_status refuse_sparse(hst__reader *r, const hst__frame *frame,
                                hst__span message) {
    hst__wire w;
    hst__wire_field f;
    hst__span tensor = {0}, name = {0};
    (void)frame;
    hst__wire_open(&w, &hst__sparse_message, message);
    while (hst__wire_next(&w, &f))
        tensor = f.bytes;
    hst__wire_open(&w, &hst__tensor_message, tensor);
    while (hst__wire_next(&w, &f))
        if (f.tag == HST__TENSOR_NAME)
            name = f.bytes;
    return hst__fail(r->err, HST_E_UNSUPPORTED,
                     "weight '%.*s' is a sparse tensor, which is not supported: store it "
                     "densely",
                     HST__SPAN_TEXT(name));
}

static hst_status take_lists(hst__reader *r, hst__span message) {
    hst__wire w;
    hst__wire_field f;
    size_t inputs = 0, outputs = 0;
    hst__span name = {0};
    hst__wire_open(&w, &hst__graph_message, message);
    while (hst__wire_next(&w, &f)) {
        inputs += f.tag == HST__GRAPH_INPUT;
        outputs += f.tag == HST__GRAPH_OUTPUT;
        if (f.tag == HST__GRAPH_NAME)
            name = f.bytes;
    }
    hst_status st = hst__wire_status(&w, r->err);
    if (!st && outputs == 0)
        st = hst__fail(r->err, HST_E_FORMAT, "the graph has no outputs");
    if (!st)
        st = hst__reader_text(r, "", name, &r->g->name);
    if (!st)
        st = hst__reader_take(r, inputs, sizeof(hst__dim_names), &r->file->input_dims);
    if (!st)
        st = hst__reader_take(r, outputs, sizeof(hst__dim_names), &r->file->output_dims);
    if (st)
        return st;
    r->g->inputs = hst__alloc(inputs * sizeof *r->g->inputs);
    r->g->outputs = hst__alloc(outputs * sizeof *r->g->outputs);
    return r->g->inputs && r->g->outputs
               ? HST_OK
               : hst__fail_nomem(r->err, (inputs + outputs) * sizeof *r->g->inputs);
}

/** A Constant node may have written to an input. */
static hst_status check_inputs(const hst__reader *r) {
    for (int i = 0; i < r->g->n_inputs; i++)
        if (r->g->values[r->g->inputs[i]].constant)
            return hst__fail(r->err, HST_E_FORMAT,
                             "input '%.200s' is made by a Constant node as well",
                             r->g->values[r->g->inputs[i]].name);
    return HST_OK;
}

hst_status hst__reader_graph(hst__reader *r, hst__span message) {
    static const struct {
        uint32_t tag;
        hst__reader_visit *visit;
    } steps[] = {
        {HST__GRAPH_SPARSE_INITIALIZER, refuse_sparse},
        {HST__GRAPH_INITIALIZER, read_initializer},
        {HST__GRAPH_INPUT, read_input},
        {HST__GRAPH_NODE, hst__reader_node},
        {HST__GRAPH_OUTPUT, read_output},
    };
    const hst__frame frame = {.prefix = ""};
    hst_status st = take_lists(r, message);
    for (size_t i = 0; !st && i < sizeof steps / sizeof *steps; i++)
        st = hst__reader_each(r, &frame, &hst__graph_message, steps[i].tag, message,
                              steps[i].visit);
    if (!st)
        st = check_inputs(r);
    return st ? st : hst__graph_sort(r->g, r->err);
}
