/* FunctionProto: a function local to the model is put in the place of each of its calls.
 */
#include <stdlib.h>
#include <string.h>

#include "onnx/reader.h"

enum { DEPTH_MAX = 32 };

static int compare_spans(hst__span a, hst__span b) {
    size_t n = a.size < b.size ? a.size : b.size;
    int order = n ? memcmp(a.data, b.data, n) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare(const void *left, const void *right) {
    const hst__function *a = left, *b = right;
    int order = compare_spans(a->name, b->name);
    if (!order)
        order = compare_spans(a->domain, b->domain);
    return order ? order : compare_spans(a->overload, b->overload);
}

static hst_status index_function(hst__reader *r, const hst__frame *frame,
                                 hst__span message) {
    (void)frame;
    hst__function *fn = &r->functions[r->n_functions++];
    hst__wire w;
    hst__wire_field f;
    fn->message = message;
    hst__wire_open(&w, &hst__function_message, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag == HST__FUNCTION_NAME)
            fn->name = f.bytes;
        else if (f.tag == HST__FUNCTION_DOMAIN)
            fn->domain = hst__reader_domain(f.bytes);
        else if (f.tag == HST__FUNCTION_OVERLOAD)
            fn->overload = f.bytes;
    }
    fn->fields = w.fields;
    hst_status st = hst__wire_status(&w, r->err);
    if (!st)
        st = hst__reader_opsets(r, &hst__function_message, HST__FUNCTION_OPSET_IMPORT,
                                message, &fn->opsets);
    if (st)
        hst__fail_in(r->err, st, "function '%.*s'", HST__SPAN_TEXT(fn->name));
    return st;
}

hst_status hst__reader_functions(hst__reader *r, hst__span model, size_t count) {
    if (count == 0)
        return HST_OK;
    hst_status st = hst__reader_take(r, count, sizeof *r->functions, &r->functions);
    if (!st)
        st = hst__reader_each(r, NULL, &hst__model_message, HST__MODEL_FUNCTIONS, model,
                              index_function);
    if (st)
        return st;
    qsort(r->functions, count, sizeof *r->functions, compare);
    for (size_t i = 1; i < count; i++)
        if (compare(&r->functions[i - 1], &r->functions[i]) == 0)
            return hst__fail(r->err, HST_E_FORMAT,
                             "function '%.*s' is there a second time",
                             HST__SPAN_TEXT(r->functions[i].name));
    return HST_OK;
}

const hst__function *hst__reader_function(const hst__reader *r,
                                          const hst__node_parts *parts) {
    const hst__function key = {
        .domain = parts->domain, .name = parts->op_type, .overload = parts->overload};
    if (r->n_functions == 0)
        return NULL;
    return bsearch(&key, r->functions, r->n_functions, sizeof key, compare);
}

typedef struct expansion {
    hst__reader *r;
    const hst__frame *frame; /**< of the body */
    const hst__node_parts *call;
    const hst__value_id *in, *out;
} expansion;

static hst_status add_name(const expansion *x, hst__span name, hst__value_id v) {
    hst_status st = hst__reader_budget(x->r, 0);
    if (!st && !hst__names_add(&x->r->names, x->frame->scope, name, v))
        st = hst__fail_nomem(x->r->err, sizeof(hst__name));
    return st;
}

/** Gives the function's inputs and outputs the values of the call. An output that the
 * call leaves out, or that is an input as well, keeps a value of its own. */
static hst_status bind(const expansion *x) {
    hst__reader *r = x->r;
    hst__wire w;
    hst__wire_field f;
    int in = 0, out = 0;
    hst_status st = HST_OK;
    hst__wire_open(&w, &hst__function_message, x->frame->function->message);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag != HST__FUNCTION_INPUT)
            continue;
        hst__value_id v = in < x->call->n_in ? x->in[in] : HST__NONE;
        if (!f.bytes.size || hst__names_find(&r->names, x->frame->scope, f.bytes))
            return hst__fail(r->err, HST_E_FORMAT,
                             "input %d of the function has no name of its own", in);
        st = add_name(x, f.bytes, v);
        in++;
    }
    hst__wire_open(&w, &hst__function_message, x->frame->function->message);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag != HST__FUNCTION_OUTPUT)
            continue;
        hst__value_id v = out < x->call->n_out ? x->out[out] : HST__NONE;
        if (v != HST__NONE && !hst__names_find(&r->names, x->frame->scope, f.bytes))
            st = add_name(x, f.bytes, v);
        out++;
    }
    if (!st && (in < x->call->n_in || out < x->call->n_out))
        st = hst__fail(r->err, HST_E_FORMAT,
                       "the call has %d inputs and %d outputs, the function %d and %d",
                       x->call->n_in, x->call->n_out, in, out);
    return st;
}

static hst_status add_identity(const expansion *x, hst__value_id from, hst__value_id to) {
    hst__graph *g = x->r->g;
    int opset = hst__reader_opset(x->r, x->frame, (hst__span){0});
    hst__node *n = hst__graph_new_node(g, HST__OP_Identity, 1, 1);
    if (!n)
        return hst__fail_nomem(x->r->err, sizeof *n);
    n->name = x->frame->prefix;
    n->opset = opset ? opset : HST__OPSET_LAST;
    n->in[0] = from;
    n->out[0] = to;
    return hst__graph_append(g, n) ? HST_OK
                                   : hst__fail_nomem(x->r->err, sizeof *g->nodes);
}

/** Outputs that are inputs of the function, or named twice. */
static hst_status pass_through(const expansion *x) {
    hst__wire w;
    hst__wire_field f;
    int out = 0;
    hst_status st = HST_OK;
    hst__wire_open(&w, &hst__function_message, x->frame->function->message);
    while (!st && out < x->call->n_out && hst__wire_next(&w, &f)) {
        if (f.tag != HST__FUNCTION_OUTPUT)
            continue;
        hst__value_id to = x->out[out++];
        const hst__name *made = hst__names_find(&x->r->names, x->frame->scope, f.bytes);
        if (to == HST__NONE || !made || made->value == to)
            continue;
        st = made->value == HST__NONE
                 ? hst__fail(x->r->err, HST_E_FORMAT,
                             "its output '%.*s' is an input that the call leaves out",
                             HST__SPAN_TEXT(f.bytes))
                 : add_identity(x, made->value, to);
    }
    return st;
}

/** "encoder/layer.0/" */
static hst_status make_prefix(hst__reader *r, const hst__node_parts *call,
                              hst__frame *inner) {
    const char *name;
    hst_status st = hst__reader_text(r, inner->parent->prefix,
                                     call->name.size ? call->name : call->op_type, &name);
    if (!st)
        st = hst__reader_text(r, name, (hst__span){(const uint8_t *)"/", 1},
                              &inner->prefix);
    return st;
}

hst_status hst__reader_call(hst__reader *r, const hst__frame *frame,
                            const hst__function *function, const hst__node_parts *parts,
                            const hst__value_id *in, const hst__value_id *out) {
    hst__frame inner = {.parent = frame,
                        .function = function,
                        .call = parts->message,
                        .prefix = "",
                        .scope = ++r->scopes,
                        .depth = frame->depth + 1};
    const expansion x = {r, &inner, parts, in, out};
    if (inner.depth > DEPTH_MAX)
        return hst__fail(
            r->err, HST_E_LIMIT,
            "function '%.*s' is called more than %d calls deep: does it call "
            "itself?",
            HST__SPAN_TEXT(function->name), DEPTH_MAX);
    hst_status st = hst__reader_work(r, 4 * function->fields + 16);
    if (!st)
        st = make_prefix(r, parts, &inner);
    if (!st) {
        st = bind(&x);
        if (st)
            return hst__fail_in(r->err, st, "%.200s", inner.prefix);
        st = hst__reader_each(r, &inner, &hst__function_message, HST__FUNCTION_NODE,
                              function->message, hst__reader_node);
    }
    return st ? st : pass_through(&x);
}
