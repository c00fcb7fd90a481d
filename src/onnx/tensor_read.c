#include "onnx/tensor_read.h"

#include <string.h>

#include "onnx/external.h"
#include "onnx/schema.h"

/** Smaller raw data is copied: it becomes aligned, and the map need not stay warm. */
enum { BORROW_FROM = 4096 };

typedef struct reading {
    const hst__tensor_source *source;
    hst_error *err;
    hst__desc desc;
    hst__span name, raw;
    bool has_raw, external, segmented, strings;
    int64_t type;
    hst__external_location location;
    hst_tensor *tensor;
    size_t filled; /**< elements put so far from typed fields */
} reading;

#define TEXT_OF(r)                                                                       \
    (int)((r)->name.size > 200 ? 200 : (r)->name.size), (const char *)(r)->name.data

static bool put_dim(void *user, uint64_t number) {
    reading *r = user;
    if (r->desc.rank >= HST_MAX_RANK) {
        r->desc.rank = HST_MAX_RANK + 1;
        return true;
    }
    r->desc.dims[r->desc.rank++] = (int64_t)number;
    return true;
}

static bool is(hst__span s, const char *text) {
    return s.size == strlen(text) && memcmp(s.data, text, s.size) == 0;
}

static bool read_entry(reading *r, hst__span message) {
    hst__wire w;
    hst__wire_field f;
    hst__span key = {0}, value = {0};
    hst__wire_open(&w, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag == ENTRY_KEY)
            key = f.bytes;
        else if (f.tag == ENTRY_VALUE)
            value = f.bytes;
    }
    if (is(key, "location"))
        r->location.path = value;
    else if (is(key, "offset"))
        r->location.offset = value;
    else if (is(key, "length"))
        r->location.length = value;
    return !w.failed;
}

static bool read_header(reading *r, hst__span message) {
    hst__wire w;
    hst__wire_field f;
    bool ok = true;
    hst__wire_open(&w, message);
    while (ok && hst__wire_next(&w, &f)) {
        switch (f.tag) {
        case TENSOR_DIMS:
            ok = hst__wire_numbers(&f, PB_WT_VARINT, put_dim, r);
            break;
        case TENSOR_DATA_TYPE:
            r->type = (int64_t)f.number;
            break;
        case TENSOR_NAME:
            r->name = f.bytes;
            break;
        case TENSOR_RAW_DATA:
            r->raw = f.bytes;
            r->has_raw = true;
            break;
        case TENSOR_EXTERNAL_DATA:
            ok = read_entry(r, f.bytes);
            break;
        case TENSOR_DATA_LOCATION:
            r->external = f.number == 1;
            break;
        case TENSOR_SEGMENT:
            r->segmented = true;
            break;
        case TENSOR_STRING_DATA:
            r->strings = true;
            break;
        default:
            break;
        }
    }
    return ok && !w.failed;
}

static hst_status check_header(reading *r) {
    static const struct {
        int64_t onnx;
        hst_dtype dtype;
    } types[] = {
#define TYPE(name, bytes, text, onnx) {onnx, name},
        HST_DTYPE_LIST(TYPE)
#undef TYPE
    };
    for (size_t i = 1; i < sizeof types / sizeof *types; i++)
        if (types[i].onnx == r->type)
            r->desc.dtype = types[i].dtype;
    if (!r->desc.dtype || r->strings)
        return hst__fail(
            r->err, HST_E_UNSUPPORTED,
            "tensor '%.*s' has element type %lld (%s), which is not supported",
            TEXT_OF(r), (long long)r->type,
            r->type == 8 || r->strings ? "string" : "see TensorProto.DataType");
    if (r->segmented)
        return hst__fail(r->err, HST_E_UNSUPPORTED, "tensor '%.*s' is cut in segments",
                         TEXT_OF(r));
    if (r->desc.rank > HST_MAX_RANK)
        return hst__fail(r->err, HST_E_UNSUPPORTED, "tensor '%.*s' has a rank over %d",
                         TEXT_OF(r), HST_MAX_RANK);
    size_t bytes;
    if (!hst__desc_bytes(&r->desc, &bytes))
        return hst__fail(r->err, HST_E_FORMAT, "tensor '%.*s' has an impossible shape",
                         TEXT_OF(r));
    return HST_OK;
}

/** A tensor over raw bytes: borrowed when large, else copied. */
static hst_status from_bytes(reading *r, hst__span raw, bool mapped) {
    size_t bytes;
    hst__desc_bytes(&r->desc, &bytes);
    if (raw.size != bytes)
        return hst__fail(r->err, HST_E_FORMAT,
                         "tensor '%.*s' holds %zu bytes, its shape needs %zu", TEXT_OF(r),
                         raw.size, bytes);
    if (r->source->borrow && bytes >= BORROW_FROM) {
        hst_status st =
            hst_tensor_wrap(&r->desc, (void *)raw.data, raw.size, &r->tensor, r->err);
        if (!st)
            r->tensor->mapped = mapped;
        return st;
    }
    hst_status st = hst_tensor_create(&r->desc, &r->tensor, r->err);
    if (!st && bytes)
        memcpy(r->tensor->data, raw.data, bytes);
    return st;
}

/** Stores the low bytes of a number: two's complement and float bits alike. */
static bool put_element(void *user, uint64_t number) {
    reading *r = user;
    size_t size = hst_dtype_size(r->desc.dtype);
    if (r->filled >= hst_tensor_count(r->tensor))
        return false;
    if (r->desc.dtype == HST_DTYPE_BOOL)
        number = number != 0;
    memcpy((char *)r->tensor->data + r->filled++ * size, &number, size);
    return true;
}

/** The typed field that carries this element type, and its wire type. */
static uint32_t typed_field(hst_dtype t, pb_wire_type_t *wire) {
    *wire = PB_WT_VARINT;
    switch (t) {
    case HST_DTYPE_F32:
        *wire = PB_WT_32BIT;
        return TENSOR_FLOAT_DATA;
    case HST_DTYPE_F64:
        *wire = PB_WT_64BIT;
        return TENSOR_DOUBLE_DATA;
    case HST_DTYPE_S64:
        return TENSOR_INT64_DATA;
    case HST_DTYPE_U32:
    case HST_DTYPE_U64:
        return TENSOR_UINT64_DATA;
    default:
        return TENSOR_INT32_DATA;
    }
}

static size_t bound_of_typed(hst__span message) { return message.size; }

static hst_status from_typed(reading *r, hst__span message) {
    pb_wire_type_t wire;
    uint32_t tag = typed_field(r->desc.dtype, &wire);
    hst__wire w;
    hst__wire_field f;
    bool ok = true;
    /* Every element takes at least a byte of the message: a shape that promises more is a
     * lie, found before memory is taken for it. */
    if (hst__desc_size(&r->desc) > bound_of_typed(message))
        return hst__fail(r->err, HST_E_FORMAT,
                         "tensor '%.*s' holds fewer elements than its shape needs",
                         TEXT_OF(r));
    hst_status st = hst_tensor_create(&r->desc, &r->tensor, r->err);
    if (st)
        return st;
    hst__wire_open(&w, message);
    while (ok && hst__wire_next(&w, &f))
        if (f.tag == tag)
            ok = hst__wire_numbers(&f, wire, put_element, r);
    if (!ok || w.failed || r->filled != hst_tensor_count(r->tensor))
        return hst__fail(
            r->err, HST_E_FORMAT,
            "tensor '%.*s' holds another number of elements than its shape needs",
            TEXT_OF(r));
    return HST_OK;
}

hst_status hst__tensor_read(hst__span message, const hst__tensor_source *source,
                            hst__span *name, hst_tensor **out, hst_error *err) {
    reading r = {.source = source, .err = err};
    *out = NULL;
    if (!read_header(&r, message))
        return hst__fail(err, HST_E_FORMAT, "a tensor is not valid protobuf");
    hst_status st = check_header(&r);
    hst__span raw;
    if (!st && r.external) {
        if (!source->external)
            st =
                hst__fail(err, HST_E_UNSUPPORTED,
                          "tensor '%.*s' lies in another file, which is not allowed here",
                          TEXT_OF(&r));
        else
            st = hst__external_find(source->external, &r.location, &raw, err);
        if (!st)
            st = from_bytes(&r, raw, hst__external_mapped(source->external, raw));
    } else if (!st && r.has_raw) {
        st = from_bytes(&r, r.raw, source->mapped);
    } else if (!st) {
        st = from_typed(&r, message);
    }
    if (st) {
        hst_tensor_destroy(r.tensor);
        return st;
    }
    if (name)
        *name = r.name;
    *out = r.tensor;
    return HST_OK;
}
