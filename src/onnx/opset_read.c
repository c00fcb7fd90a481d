/* OperatorSetIdProto: which version of which operators. */
#include "onnx/reader.h"

static const char microsoft[] = "com.microsoft";

hst__span hst__reader_domain(hst__span domain) {
    return hst__span_is(domain, "ai.onnx") ? (hst__span){0} : domain;
}

/** The domain by its long name. */
static hst__span shown(hst__span domain) {
    return domain.size ? domain : (hst__span){(const uint8_t *)"ai.onnx", 7};
}

static int find(const hst__opsets *opsets, hst__span domain) {
    for (int i = 0; i < opsets->count; i++)
        if (hst__span_equal(opsets->items[i].domain, domain))
            return opsets->items[i].version;
    return 0;
}

int hst__reader_opset(const hst__reader *r, const hst__frame *frame, hst__span domain) {
    domain = hst__reader_domain(domain);
    int version = frame->function ? find(&frame->function->opsets, domain) : 0;
    if (!version)
        version = find(&r->opsets, domain);
    /* Its one version; some tools that fuse operators forget to import it. */
    return !version && hst__span_is(domain, microsoft) ? 1 : version;
}

static hst_status read_opset(hst__reader *r, hst__span message, hst__opset *out) {
    hst__wire w;
    hst__wire_field f;
    uint64_t version = 0;
    *out = (hst__opset){0};
    hst__wire_open(&w, &hst__opset_message, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag == HST__OPSET_DOMAIN)
            out->domain = hst__reader_domain(f.bytes);
        else
            version = f.number;
    }
    hst_status st = hst__wire_status(&w, r->err);
    if (st)
        return st;
    if (version == 0 || version > INT32_MAX)
        return hst__fail(r->err, HST_E_FORMAT,
                         "opset %lld of domain '%.*s' is no version", (long long)version,
                         HST__SPAN_TEXT(out->domain));
    out->version = (int)version;
    if (out->domain.size == 0 &&
        (version < HST__OPSET_FIRST || version > HST__OPSET_LAST))
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "opset %d is not supported; %d to %d are. "
                         "onnx.version_converter.convert_version can convert the model",
                         out->version, HST__OPSET_FIRST, HST__OPSET_LAST);
    return HST_OK;
}

hst_status hst__reader_opsets(hst__reader *r, const hst__wire_message *type, uint32_t tag,
                              hst__span message, hst__opsets *out) {
    enum { MOST = 256 };
    hst__wire w;
    hst__wire_field f;
    size_t count = 0;
    *out = (hst__opsets){0};
    hst__wire_open(&w, type, message);
    while (hst__wire_next(&w, &f))
        count += f.tag == tag;
    if (count > MOST)
        return hst__fail(r->err, HST_E_LIMIT, "%zu opsets are imported; up to %d may be",
                         count, MOST);
    hst_status st = hst__reader_take(r, count, sizeof *out->items, &out->items);
    hst__wire_open(&w, type, message);
    while (!st && hst__wire_next(&w, &f)) {
        hst__opset one;
        if (f.tag != tag)
            continue;
        st = read_opset(r, f.bytes, &one);
        if (st)
            return st;
        int known = find(out, one.domain);
        if (known && known != one.version)
            return hst__fail(r->err, HST_E_FORMAT,
                             "domain '%.*s' is imported as opset %d and as %d",
                             HST__SPAN_TEXT(shown(one.domain)), known, one.version);
        if (!known)
            out->items[out->count++] = one;
    }
    return st ? st : hst__wire_status(&w, r->err);
}
