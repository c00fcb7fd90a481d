/* ValueInfoProto: name, element type and shape of a graph input or output. */
#include "onnx/reader.h"

static hst_status read_dim(hst__reader *r, hst__span message, int64_t *size,
                           const char **name) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = HST_OK;
    *size = -1;
    hst__wire_open(&w, &hst__dim_message, message);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag == HST__DIM_VALUE)
            *size = (int64_t)f.number < 0 ? -1 : (int64_t)f.number;
        else if (f.bytes.size)
            st = hst__reader_text(r, "", f.bytes, name);
    }
    if (*size >= 0)
        *name = NULL;
    return st ? st : hst__wire_status(&w, r->err);
}

static hst_status read_shape(hst__reader *r, const char *what, hst__span message,
                             hst__value_parts *v) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = HST_OK;
    v->desc.rank = 0;
    hst__wire_open(&w, &hst__shape_message, message);
    while (!st && hst__wire_next(&w, &f)) {
        int k = v->desc.rank;
        if (k == HST_MAX_RANK)
            return hst__fail(r->err, HST_E_UNSUPPORTED,
                             "%s '%.*s' has a rank over %d, which is not supported", what,
                             HST__SPAN_TEXT(v->name), HST_MAX_RANK);
        st = read_dim(r, f.bytes, &v->desc.dims[k], &v->dims.names[k]);
        v->desc.rank++;
    }
    return st ? st : hst__wire_status(&w, r->err);
}

static hst_status read_tensor_type(hst__reader *r, const char *what, hst__span message,
                                   hst__value_parts *v) {
    hst__wire w;
    hst__wire_field f;
    uint64_t element = 0;
    hst_status st = HST_OK;
    hst__wire_open(&w, &hst__tensor_type_message, message);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag == HST__TENSOR_TYPE_ELEMENT)
            element = f.number;
        else
            st = read_shape(r, what, f.bytes, v);
    }
    if (!st)
        st = hst__wire_status(&w, r->err);
    v->desc.dtype = hst__dtype_from_onnx(element);
    v->typed = element != 0;
    if (!st && v->typed && !v->desc.dtype)
        st = hst__fail(r->err, HST_E_UNSUPPORTED,
                       "%s '%.*s': element type %s is not supported", what,
                       HST__SPAN_TEXT(v->name), hst__onnx_dtype_name(element));
    return st;
}

static const char *kind_name(uint32_t tag) {
    switch (tag) {
    case HST__TYPE_SEQUENCE:
        return "a sequence";
    case HST__TYPE_MAP:
        return "a map";
    case HST__TYPE_SPARSE_TENSOR:
        return "a sparse tensor";
    case HST__TYPE_OPTIONAL:
        return "an optional value";
    default:
        return "an opaque value";
    }
}

hst_status hst__reader_value_info(hst__reader *r, const char *what, hst__span message,
                                  hst__value_parts *out) {
    hst__wire w;
    hst__wire_field f;
    hst__span type = {0};
    *out = (hst__value_parts){.desc = {.rank = -1}};
    hst__wire_open(&w, &hst__value_message, message);
    while (hst__wire_next(&w, &f))
        *(f.tag == HST__VALUE_NAME ? &out->name : &type) = f.bytes;
    hst_status st = hst__wire_status(&w, r->err);
    if (!st && !out->name.size)
        st = hst__fail(r->err, HST_E_FORMAT, "an %s of the graph has no name", what);
    hst__wire_open(&w, &hst__type_message, type);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag == HST__TYPE_TENSOR)
            st = read_tensor_type(r, what, f.bytes, out);
        else
            st = hst__fail(r->err, HST_E_UNSUPPORTED,
                           "%s '%.*s' is %s, which is not supported; tensors are", what,
                           HST__SPAN_TEXT(out->name), kind_name(f.tag));
    }
    return st ? st : hst__wire_status(&w, r->err);
}
