#include "tensor/tensor_proto.h"

#include <string.h>

#include "tensor/tensor_proto_schema.h"

static const unsigned char tensor_kinds[] = {HST__TENSOR_FIELDS(HST__WIRE_KIND)};
static const unsigned char entry_kinds[] = {HST__ENTRY_FIELDS(HST__WIRE_KIND)};
const hst__wire_message hst__tensor_message = {"TensorProto", sizeof tensor_kinds,
                                               tensor_kinds};
const hst__wire_message hst__entry_message = {"StringStringEntryProto",
                                              sizeof entry_kinds, entry_kinds};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "elements are used as they lie in the file, which is little-endian");

hst_dtype hst__dtype_from_onnx(uint64_t number) {
    switch (number) {
#define TYPE_CASE(name, bytes, text, onnx)                                               \
    case onnx:                                                                           \
        return name;
        HST_DTYPE_LIST(TYPE_CASE)
#undef TYPE_CASE
    default:
        return HST_DTYPE_NONE;
    }
}

const char *hst__onnx_dtype_name(uint64_t number) {
    static const char *const names[] = {
        "undefined",      "float",    "uint8",        "int8",           "uint16",
        "int16",          "int32",    "int64",        "string",         "bool",
        "float16",        "double",   "uint32",       "uint64",         "complex64",
        "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
        "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
        "uint2",          "int2"};
    return number < sizeof names / sizeof *names ? names[number] : "?";
}

typedef struct reading {
    const hst__tensor_source *source;
    hst_error *err;
    hst__span message, name, raw;
    hst__desc desc;
    size_t rank; /**< also where it is over HST_MAX_RANK */
    size_t bytes;
    uint64_t type;
    bool has_raw, external, segmented, strings;
    hst__tensor_location location;
    hst_tensor *tensor;
    char *next; /**< where the next typed element goes */
} reading;

static void put_dim(void *user, uint64_t number) {
    reading *r = user;
    if (r->rank < HST_MAX_RANK)
        r->desc.dims[r->rank] = (int64_t)number;
    r->rank++;
}

static hst_status read_entry(reading *r, hst__span message) {
    hst__wire w;
    hst__wire_field f;
    hst__span key = {0}, value = {0};
    hst__wire_open(&w, &hst__entry_message, message);
    while (hst__wire_next(&w, &f))
        *(f.tag == HST__ENTRY_KEY ? &key : &value) = f.bytes;
    if (hst__span_is(key, "location"))
        r->location.path = value;
    else if (hst__span_is(key, "offset"))
        r->location.offset = value;
    else if (hst__span_is(key, "length"))
        r->location.length = value;
    return hst__wire_status(&w, r->err);
}

static hst_status read_header(reading *r) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = HST_OK;
    hst__wire_open(&w, &hst__tensor_message, r->message);
    while (!st && hst__wire_next(&w, &f)) {
        switch (f.tag) {
        case HST__TENSOR_DIMS:
            if (!hst__wire_numbers(&f, put_dim, r))
                st = hst__fail(r->err, HST_E_FORMAT, "malformed shape of a TensorProto");
            break;
        case HST__TENSOR_DATA_TYPE:
            r->type = f.number;
            break;
        case HST__TENSOR_NAME:
            r->name = f.bytes;
            break;
        case HST__TENSOR_RAW_DATA:
            r->raw = f.bytes;
            r->has_raw = true;
            break;
        case HST__TENSOR_EXTERNAL_DATA:
            st = read_entry(r, f.bytes);
            break;
        case HST__TENSOR_DATA_LOCATION:
            r->external = f.number == HST__TENSOR_EXTERNAL;
            break;
        case HST__TENSOR_SEGMENT:
            r->segmented = true;
            break;
        case HST__TENSOR_STRING_DATA:
            r->strings = true;
            break;
        default: /* typed elements, read when the shape is known */
            break;
        }
    }
    return st ? st : hst__wire_status(&w, r->err);
}

static hst_status check_header(reading *r) {
    const char *type = r->strings ? "string" : hst__onnx_dtype_name(r->type);
    r->desc.dtype = hst__dtype_from_onnx(r->type);
    if (!r->strings && (r->type == 0 || *type == '?'))
        return hst__fail(r->err, HST_E_FORMAT, "tensor '%.*s' has no element type",
                         HST__SPAN_TEXT(r->name));
    if (!r->desc.dtype || r->strings)
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "tensor '%.*s': element type %s is not supported",
                         HST__SPAN_TEXT(r->name), type);
    if (r->segmented)
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "tensor '%.*s': segments are not supported",
                         HST__SPAN_TEXT(r->name));
    if (r->rank > HST_MAX_RANK)
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "tensor '%.*s': rank %zu is not supported; up to %d is",
                         HST__SPAN_TEXT(r->name), r->rank, HST_MAX_RANK);
    r->desc.rank = (int)r->rank;
    if (!hst__desc_bytes(&r->desc, &r->bytes))
        return hst__fail(r->err, HST_E_FORMAT, "tensor '%.*s': impossible shape",
                         HST__SPAN_TEXT(r->name));
    return HST_OK;
}

/** Elements as they lie in a file. Truth values are copied, so that each is 0 or 1. */
static hst_status from_bytes(reading *r, hst__span raw, bool mapped) {
    bool truth = r->desc.dtype == HST_DTYPE_BOOL;
    if (raw.size != r->bytes)
        return hst__fail(r->err, HST_E_FORMAT,
                         "tensor '%.*s' holds %zu bytes, its shape needs %zu",
                         HST__SPAN_TEXT(r->name), raw.size, r->bytes);
    if (r->source->borrow && r->bytes >= HST__TENSOR_BORROW_BYTES && !truth) {
        hst_status st =
            hst_tensor_wrap(&r->desc, (void *)raw.data, raw.size, &r->tensor, r->err);
        if (!st)
            r->tensor->mapped = mapped;
        return st;
    }
    hst_status st = hst_tensor_create(&r->desc, &r->tensor, r->err);
    if (st)
        return st;
    if (r->bytes)
        memcpy(r->tensor->data, raw.data, r->bytes);
    unsigned char *flags = r->tensor->data;
    for (size_t i = 0; truth && i < r->bytes; i++)
        flags[i] = flags[i] != 0;
    return HST_OK;
}

/** The low bytes of a number: right for two's complement and for bits of floats. */
static void put_element(void *user, uint64_t number) {
    reading *r = user;
    size_t size = hst_dtype_size(r->desc.dtype);
    if (r->desc.dtype == HST_DTYPE_BOOL)
        number = number != 0;
    memcpy(r->next, &number, size);
    r->next += size;
}

/** The typed field that carries elements of this type. */
static uint32_t typed_field(hst_dtype t) {
    switch (t) {
    case HST_DTYPE_F32:
        return HST__TENSOR_FLOAT_DATA;
    case HST_DTYPE_F64:
        return HST__TENSOR_DOUBLE_DATA;
    case HST_DTYPE_S64:
        return HST__TENSOR_INT64_DATA;
    case HST_DTYPE_U32:
    case HST_DTYPE_U64:
        return HST__TENSOR_UINT64_DATA;
    default:
        return HST__TENSOR_INT32_DATA;
    }
}

/** Elements in float_data and its like: counted first, so that a shape that promises more
 * than is there is found before memory is taken for it. */
static hst_status from_typed(reading *r) {
    uint32_t tag = typed_field(r->desc.dtype);
    hst__wire w;
    hst__wire_field f, last = {0};
    size_t count = 0, fields = 0, want = hst__desc_size(&r->desc);
    hst__wire_open(&w, &hst__tensor_message, r->message);
    while (hst__wire_next(&w, &f))
        if (f.tag == tag) {
            count += hst__wire_count(&f);
            last = f;
            fields++;
        }
    if (count != want)
        return hst__fail(r->err, HST_E_FORMAT,
                         "tensor '%.*s' holds %zu elements, its shape needs %zu",
                         HST__SPAN_TEXT(r->name), count, want);
    if (fields == 1 && last.packed && last.kind != HST__WIRE_VARINTS)
        return from_bytes(r, last.bytes, r->source->mapped);
    hst_status st = hst_tensor_create(&r->desc, &r->tensor, r->err);
    if (st)
        return st;
    r->next = r->tensor->data;
    hst__wire_open(&w, &hst__tensor_message, r->message);
    while (hst__wire_next(&w, &f))
        if (f.tag == tag && !hst__wire_numbers(&f, put_element, r))
            return hst__fail(r->err, HST_E_FORMAT, "tensor '%.*s': malformed elements",
                             HST__SPAN_TEXT(r->name));
    return HST_OK;
}

static hst_status from_file(reading *r) {
    hst__span raw;
    bool mapped;
    if (!r->source->find)
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "tensor '%.*s' lies in another file, which cannot be read here",
                         HST__SPAN_TEXT(r->name));
    hst_status st =
        r->source->find(r->source->user, &r->location, r->bytes, &raw, &mapped, r->err);
    if (st)
        return hst__fail_in(r->err, st, "tensor '%.*s'", HST__SPAN_TEXT(r->name));
    return from_bytes(r, raw, mapped);
}

hst_status hst__tensor_proto_read(hst__span message, const hst__tensor_source *source,
                                  hst__span *name, hst_tensor **out, hst_error *err) {
    reading r = {.source = source, .err = err, .message = message};
    *out = NULL;
    hst_status st = read_header(&r);
    if (!st)
        st = check_header(&r);
    if (!st)
        st = r.external  ? from_file(&r)
             : r.has_raw ? from_bytes(&r, r.raw, source->mapped)
                         : from_typed(&r);
    if (st) {
        hst_tensor_destroy(r.tensor);
        return st;
    }
    if (name)
        *name = r.name;
    *out = r.tensor;
    return HST_OK;
}
