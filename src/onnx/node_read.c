/* NodeProto. */
#include <string.h>

#include "onnx/reader.h"

enum { ENDS_MAX = 1 << 20 }; /**< inputs or outputs of one node */
enum { ATTRIBUTES_MAX = 256 };

hst_status hst__reader_each(hst__reader *r, const hst__frame *frame,
                            const hst__wire_message *type, uint32_t tag,
                            hst__span message, hst__reader_visit *visit) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = HST_OK;
    hst__wire_open(&w, type, message);
    while (!st && hst__wire_next(&w, &f))
        if (f.tag == tag)
            st = visit(r, frame, f.bytes);
    return st ? st : hst__wire_status(&w, r->err);
}

static hst_status read_parts(hst__reader *r, hst__span message, hst__node_parts *p) {
    hst__wire w;
    hst__wire_field f;
    *p = (hst__node_parts){.message = message};
    hst__wire_open(&w, &hst__node_message, message);
    while (hst__wire_next(&w, &f)) {
        p->n_in += f.tag == HST__NODE_INPUT;
        p->n_out += f.tag == HST__NODE_OUTPUT;
        p->n_attr += f.tag == HST__NODE_ATTRIBUTE;
        if (f.tag == HST__NODE_NAME)
            p->name = f.bytes;
        else if (f.tag == HST__NODE_OP_TYPE)
            p->op_type = f.bytes;
        else if (f.tag == HST__NODE_DOMAIN)
            p->domain = hst__reader_domain(f.bytes);
        else if (f.tag == HST__NODE_OVERLOAD)
            p->overload = f.bytes;
        if (p->n_in > ENDS_MAX || p->n_out > ENDS_MAX || p->n_attr > ATTRIBUTES_MAX)
            return hst__fail(r->err, HST_E_LIMIT,
                             "node '%.*s' has over %d inputs or outputs, or over %d "
                             "attributes",
                             HST__SPAN_TEXT(p->name), ENDS_MAX, ATTRIBUTES_MAX);
    }
    hst_status st = hst__wire_status(&w, r->err);
    if (st)
        return st;
    if (!p->op_type.size || !p->n_out)
        return hst__fail(r->err, HST_E_FORMAT, "node '%.*s' has no %s",
                         HST__SPAN_TEXT(p->name), p->n_out ? "operator type" : "outputs");
    return HST_OK;
}

/** The values that a node reads and makes. */
static hst_status read_ends(hst__reader *r, const hst__frame *frame, hst__span message,
                            hst__value_id *in, hst__value_id *out) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = HST_OK;
    hst__wire_open(&w, &hst__node_message, message);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag == HST__NODE_INPUT)
            st = hst__reader_value(r, frame, f.bytes, in++);
        else if (f.tag == HST__NODE_OUTPUT)
            st = hst__reader_value(r, frame, f.bytes, out++);
    }
    return st;
}

static hst_status name_attr(hst__reader *r, hst__node *n, hst__span name) {
    hst__attr *a = &n->attrs[n->n_attr];
    hst_status st = hst__reader_text(r, "", name, &a->name);
    if (st)
        return st;
    for (int i = 0; i < n->n_attr; i++)
        if (strcmp(n->attrs[i].name, a->name) == 0)
            return hst__fail(r->err, HST_E_FORMAT,
                             "attribute '%.100s' is there a second time", a->name);
    if (!*a->name)
        return hst__fail(r->err, HST_E_FORMAT, "an attribute has no name");
    return HST_OK;
}

static hst_status read_attrs(hst__reader *r, const hst__frame *frame,
                             const hst__node_parts *p, hst__node *n) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = hst__reader_take(r, (size_t)p->n_attr, sizeof *n->attrs, &n->attrs);
    hst__wire_open(&w, &hst__node_message, p->message);
    while (!st && hst__wire_next(&w, &f)) {
        hst__span name, value;
        if (f.tag != HST__NODE_ATTRIBUTE)
            continue;
        st = hst__reader_attr_name(r, f.bytes, &name);
        if (!st)
            st = hst__reader_attr_follow(r, frame, f.bytes, &value);
        if (st || !value.size)
            continue;
        st = name_attr(r, n, name);
        if (!st)
            st = hst__reader_attr(r, value, &n->attrs[n->n_attr]);
        n->n_attr++;
    }
    return st;
}

static hst_status append(hst__reader *r, const hst__frame *frame,
                         const hst__node_parts *p) {
    hst_status st = hst__reader_budget(
        r, sizeof(hst__node) + sizeof(hst__value_id) * (size_t)(p->n_in + p->n_out));
    if (st)
        return st;
    hst__node *n = hst__graph_new_node(r->g, HST__OP_UNKNOWN, p->n_in, p->n_out);
    if (!n)
        return hst__fail_nomem(r->err, sizeof *n);
    st = hst__reader_text(r, frame->prefix,
                          p->name.size || !frame->function ? p->name : p->op_type,
                          &n->name);
    if (!st)
        st = hst__reader_text(r, "", p->op_type, &n->op_type);
    if (!st)
        st = hst__reader_text(r, "", p->domain, &n->domain);
    if (st)
        return st;
    n->op = hst__op_find(n->domain, n->op_type);
    n->opset = hst__reader_opset(r, frame, p->domain);
    if (!n->opset)
        return hst__fail(r->err, HST_E_FORMAT,
                         "the model does not say which opset of domain '%.100s' it uses",
                         *n->domain ? n->domain : "ai.onnx");
    st = read_ends(r, frame, p->message, n->in, n->out);
    if (!st)
        st = read_attrs(r, frame, p, n);
    if (!st && !hst__graph_append(r->g, n))
        st = hst__fail_nomem(r->err, (size_t)r->g->cap_nodes * 2 * sizeof *r->g->nodes);
    return st;
}

static hst_status call(hst__reader *r, const hst__frame *frame,
                       const hst__function *function, const hst__node_parts *p) {
    hst__value_id *ends;
    size_t count = (size_t)p->n_in + (size_t)p->n_out;
    hst_status st = hst__reader_take(r, count, sizeof *ends, &ends);
    if (!st)
        st = read_ends(r, frame, p->message, ends, ends + p->n_in);
    return st ? st : hst__reader_call(r, frame, function, p, ends, ends + p->n_in);
}

static hst_status constant(hst__reader *r, const hst__frame *frame,
                           const hst__node_parts *p) {
    hst_tensor *t;
    hst__value_id v = HST__NONE;
    if (p->n_in != 0 || p->n_out != 1)
        return hst__fail(r->err, HST_E_FORMAT, "it must have no inputs and one output");
    hst_status st = read_ends(r, frame, p->message, NULL, &v);
    if (!st)
        st = hst__reader_constant_node(r, frame, p, &t);
    if (st)
        return st;
    if (v != HST__NONE)
        return hst__reader_constant(r, v, t);
    hst_tensor_destroy(t);
    return HST_OK;
}

hst_status hst__reader_node(hst__reader *r, const hst__frame *frame, hst__span message) {
    hst__node_parts p;
    hst_status st = read_parts(r, message, &p);
    if (st)
        return st;
    const hst__function *function = hst__reader_function(r, &p);
    if (function)
        return call(r, frame, function, &p);
    if (p.domain.size == 0 && hst__span_is(p.op_type, "Constant"))
        st = constant(r, frame, &p);
    else
        st = append(r, frame, &p);
    if (st)
        hst__fail_in(r->err, st, "%.*s '%s%.*s'", HST__SPAN_TEXT(p.op_type),
                     frame->prefix, HST__SPAN_TEXT(p.name));
    return st;
}
