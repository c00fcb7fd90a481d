/* AttributeProto. */
#include <string.h>

#include "base/text.h"
#include "onnx/reader.h"

hst_status hst__reader_attr_name(hst__reader *r, hst__span message, hst__span *out) {
    hst__wire w;
    hst__wire_field f;
    *out = (hst__span){0};
    hst__wire_open(&w, &hst__attribute_message, message);
    while (hst__wire_next(&w, &f))
        if (f.tag == HST__ATTRIBUTE_NAME)
            *out = f.bytes;
    return hst__wire_status(&w, r->err);
}

/** The attribute of this name among the fields `tag` of a node or function. */
static hst_status find(hst__reader *r, const hst__wire_message *type, uint32_t tag,
                       hst__span message, hst__span name, hst__span *out) {
    hst__wire w;
    hst__wire_field f;
    hst__span found;
    hst_status st = HST_OK;
    *out = (hst__span){0};
    hst__wire_open(&w, type, message);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag != tag)
            continue;
        st = hst__reader_attr_name(r, f.bytes, &found);
        if (!st && hst__span_equal(found, name)) {
            *out = f.bytes;
            break;
        }
    }
    if (!st)
        st = hst__reader_work(r, w.fields);
    return st ? st : hst__wire_status(&w, r->err);
}

hst_status hst__reader_attr_follow(hst__reader *r, const hst__frame *frame,
                                   hst__span message, hst__span *out) {
    *out = message;
    for (;;) {
        hst__wire w;
        hst__wire_field f;
        hst__span reference = {0};
        hst__wire_open(&w, &hst__attribute_message, *out);
        while (hst__wire_next(&w, &f))
            if (f.tag == HST__ATTRIBUTE_REF_NAME)
                reference = f.bytes;
        if (w.fault || !reference.size)
            return hst__wire_status(&w, r->err);
        if (!frame->function)
            return hst__fail(r->err, HST_E_FORMAT,
                             "an attribute refers to '%.*s' of a function, but stands in "
                             "none",
                             HST__SPAN_TEXT(reference));
        hst_status st =
            find(r, &hst__node_message, HST__NODE_ATTRIBUTE, frame->call, reference, out);
        if (st)
            return st;
        if (!out->size) /* the default, if there is one, is no reference again */
            return find(r, &hst__function_message, HST__FUNCTION_ATTRIBUTE_DEFAULT,
                        frame->function->message, reference, out);
        frame = frame->parent;
    }
}

typedef struct attr_parts {
    hst__span s, t;
    uint64_t i, type;
    uint32_t f_bits, tag; /**< tag: the last value field seen */
    size_t n_ints, n_floats;
    size_t strings; /**< bytes of all strings, one more for each */
} attr_parts;

static hst_status read_parts(hst__reader *r, hst__span message, attr_parts *p) {
    hst__wire w;
    hst__wire_field f;
    *p = (attr_parts){0};
    hst__wire_open(&w, &hst__attribute_message, message);
    while (hst__wire_next(&w, &f)) {
        switch (f.tag) {
        case HST__ATTRIBUTE_F:
            p->f_bits = (uint32_t)f.number;
            break;
        case HST__ATTRIBUTE_I:
            p->i = f.number;
            break;
        case HST__ATTRIBUTE_S:
            p->s = f.bytes;
            break;
        case HST__ATTRIBUTE_STRINGS:
            p->strings += f.bytes.size + 1;
            break;
        case HST__ATTRIBUTE_T:
            p->t = f.bytes;
            break;
        case HST__ATTRIBUTE_INTS:
            p->n_ints += hst__wire_count(&f);
            break;
        case HST__ATTRIBUTE_FLOATS:
            p->n_floats += hst__wire_count(&f);
            break;
        case HST__ATTRIBUTE_TYPE:
            p->type = f.number;
            break;
        default:
            break;
        }
        if (f.tag != HST__ATTRIBUTE_NAME && f.tag != HST__ATTRIBUTE_TYPE)
            p->tag = f.tag;
    }
    return hst__wire_status(&w, r->err);
}

/** From the number where there is one, else (as before it existed) from what is there. */
static hst__attr_type type_of(const attr_parts *p) {
    static const struct {
        uint32_t number, tag;
        hst__attr_type type;
    } types[] = {
        {HST__ATTRIBUTE_TYPE_FLOAT, HST__ATTRIBUTE_F, HST__ATTR_FLOAT},
        {HST__ATTRIBUTE_TYPE_INT, HST__ATTRIBUTE_I, HST__ATTR_INT},
        {HST__ATTRIBUTE_TYPE_STRING, HST__ATTRIBUTE_S, HST__ATTR_STRING},
        {HST__ATTRIBUTE_TYPE_TENSOR, HST__ATTRIBUTE_T, HST__ATTR_TENSOR},
        {HST__ATTRIBUTE_TYPE_FLOATS, HST__ATTRIBUTE_FLOATS, HST__ATTR_FLOATS},
        {HST__ATTRIBUTE_TYPE_INTS, HST__ATTRIBUTE_INTS, HST__ATTR_INTS},
        {HST__ATTRIBUTE_TYPE_STRINGS, HST__ATTRIBUTE_STRINGS, HST__ATTR_STRINGS},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (p->type ? types[i].number == p->type : types[i].tag == p->tag)
            return types[i].type;
    return HST__ATTR_OTHER;
}

typedef struct list {
    int64_t *ints;
    float *floats;
} list;

static void put_int(void *user, uint64_t number) {
    *((list *)user)->ints++ = (int64_t)number;
}

static void put_float(void *user, uint64_t number) {
    uint32_t bits = (uint32_t)number;
    memcpy(((list *)user)->floats++, &bits, sizeof bits);
}

static hst_status read_numbers(hst__reader *r, hst__span message, const attr_parts *p,
                               hst__attr *a) {
    bool ints = a->type == HST__ATTR_INTS;
    hst__wire w;
    hst__wire_field f;
    list l = {0};
    a->count = ints ? p->n_ints : p->n_floats;
    hst_status st =
        hst__reader_take(r, a->count, ints ? sizeof *l.ints : sizeof *l.floats,
                         ints ? (void *)&l.ints : (void *)&l.floats);
    if (st)
        return st;
    a->ints = l.ints;
    a->floats = l.floats;
    hst__wire_open(&w, &hst__attribute_message, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag != (ints ? HST__ATTRIBUTE_INTS : HST__ATTRIBUTE_FLOATS))
            continue;
        if (!hst__wire_numbers(&f, ints ? put_int : put_float, &l))
            return hst__fail(r->err, HST_E_FORMAT,
                             "malformed numbers in an AttributeProto");
    }
    return HST_OK;
}

static hst_status read_strings(hst__reader *r, hst__span message, const attr_parts *p,
                               hst__attr *a) {
    hst__wire w;
    hst__wire_field f;
    char *all;
    size_t at = 0;
    a->s = "";
    hst_status st = p->strings ? hst__reader_take(r, p->strings, 1, &all) : HST_OK;
    if (st || !p->strings)
        return st;
    hst__wire_open(&w, &hst__attribute_message, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag != HST__ATTRIBUTE_STRINGS)
            continue;
        if (f.bytes.size)
            memcpy(all + at, f.bytes.data, f.bytes.size);
        at += f.bytes.size;
        all[at++] = ' ';
    }
    all[at - 1] = 0;
    a->s = hst__text_clean(all, "");
    return HST_OK;
}

/** A tensor of a kind that is not supported is kept as "other": nobody may ask for it. */
static hst_status keep_tensor(hst__reader *r, hst__span message, hst__attr *a) {
    hst_tensor *t;
    hst_status st = hst__reader_tensor(r, message, NULL, &t);
    if (st == HST_E_UNSUPPORTED) {
        a->type = HST__ATTR_OTHER;
        return HST_OK;
    }
    if (st)
        return st;
    a->tensor = t;
    return hst__graph_add_constant(r->g, NULL, t) == HST__NONE
               ? hst__fail_nomem(r->err, sizeof(hst__value))
               : HST_OK;
}

hst_status hst__reader_attr(hst__reader *r, hst__span message, hst__attr *out) {
    attr_parts p;
    hst_status st = read_parts(r, message, &p);
    if (st)
        return st;
    out->type = type_of(&p);
    switch (out->type) {
    case HST__ATTR_INT:
        out->i = (int64_t)p.i;
        return HST_OK;
    case HST__ATTR_FLOAT:
        memcpy(&out->f, &p.f_bits, sizeof out->f);
        return HST_OK;
    case HST__ATTR_STRINGS:
        return read_strings(r, message, &p, out);
    case HST__ATTR_STRING:
        return hst__reader_text(r, "", p.s, &out->s);
    case HST__ATTR_INTS:
    case HST__ATTR_FLOATS:
        return read_numbers(r, message, &p, out);
    case HST__ATTR_TENSOR:
        return keep_tensor(r, p.t, out);
    case HST__ATTR_OTHER:
        return HST_OK;
    }
    return HST_OK;
}
