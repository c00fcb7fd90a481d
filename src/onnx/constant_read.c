/* Constant nodes: their value becomes a tensor at once. */
#include <string.h>

#include "onnx/reader.h"

static hst_status from_attr(hst__reader *r, const hst__attr *a, hst_tensor **out) {
    hst__desc d = {0};
    const void *from;
    switch (a->type) {
    case HST__ATTR_FLOAT:
        d.dtype = HST_DTYPE_F32;
        from = &a->f;
        break;
    case HST__ATTR_INT:
        d.dtype = HST_DTYPE_S64;
        from = &a->i;
        break;
    case HST__ATTR_FLOATS:
        d = (hst__desc){HST_DTYPE_F32, 1, {(int64_t)a->count}};
        from = a->floats;
        break;
    case HST__ATTR_INTS:
        d = (hst__desc){HST_DTYPE_S64, 1, {(int64_t)a->count}};
        from = a->ints;
        break;
    default:
        return hst__fail(r->err, HST_E_FORMAT, "its value is of another type than named");
    }
    hst_status st = hst_tensor_create(&d, out, r->err);
    if (st)
        return st;
    r->tensor_bytes += (*out)->bytes;
    if ((*out)->bytes)
        memcpy((*out)->data, from, (*out)->bytes);
    return HST_OK;
}

static hst_status from_tensor(hst__reader *r, hst__span message, hst_tensor **out) {
    hst__wire w;
    hst__wire_field f;
    hst__span tensor = {0};
    hst__wire_open(&w, &hst__attribute_message, message);
    while (hst__wire_next(&w, &f))
        if (f.tag == HST__ATTRIBUTE_T)
            tensor = f.bytes;
    return hst__reader_tensor(r, tensor, NULL, out);
}

/** *out stays NULL where the attribute is none that holds a value. */
static hst_status read_value(hst__reader *r, hst__span name, hst__span message,
                             hst_tensor **out) {
    static const char *const numbers[] = {"value_float", "value_int", "value_floats",
                                          "value_ints"};
    static const char *const others[] = {"sparse_value", "value_string", "value_strings"};
    if (hst__span_is(name, "value"))
        return from_tensor(r, message, out);
    for (int i = 0; i < 4; i++)
        if (hst__span_is(name, numbers[i])) {
            hst__attr a = {0};
            hst_status st = hst__reader_attr(r, message, &a);
            return st ? st : from_attr(r, &a, out);
        }
    for (int i = 0; i < 3; i++)
        if (hst__span_is(name, others[i]))
            return hst__fail(r->err, HST_E_UNSUPPORTED,
                             "attribute '%s' is not supported: store numbers, densely",
                             others[i]);
    return HST_OK;
}

hst_status hst__reader_constant_node(hst__reader *r, const hst__frame *frame,
                                     const hst__node_parts *parts, hst_tensor **out) {
    hst__wire w;
    hst__wire_field f;
    *out = NULL;
    hst_status st = HST_OK;
    hst__wire_open(&w, &hst__node_message, parts->message);
    while (!st && !*out && hst__wire_next(&w, &f)) {
        hst__span name, value;
        if (f.tag != HST__NODE_ATTRIBUTE)
            continue;
        st = hst__reader_attr_name(r, f.bytes, &name);
        if (!st)
            st = hst__reader_attr_follow(r, frame, f.bytes, &value);
        if (!st && value.size)
            st = read_value(r, name, value, out);
    }
    if (!st && !*out)
        st = hst__fail(r->err, HST_E_FORMAT, "it has no value");
    return st;
}
