/* NodeProto and AttributeProto. */
#include <string.h>

#include "onnx/reader.h"
#include "onnx/schema.h"

enum { NODE_LISTS_MAX = 65536 }; /**< inputs, outputs or attributes of one node */

typedef struct node_parts {
    hst__span name, op_type, domain;
    int n_in, n_out, n_attr;
} node_parts;

static hst_status bad(hst__reader *r, const char *what) {
    return hst__fail(r->err, HST_E_FORMAT, "%s is not valid protobuf", what);
}

static hst_status no_memory(hst__reader *r) { return hst__fail_nomem(r->err, 64); }

static hst_status count_parts(hst__reader *r, hst__span message, node_parts *p) {
    hst__wire w;
    hst__wire_field f;
    hst__wire_open(&w, message);
    while (hst__wire_next(&w, &f)) {
        p->n_in += f.tag == NODE_INPUT;
        p->n_out += f.tag == NODE_OUTPUT;
        p->n_attr += f.tag == NODE_ATTRIBUTE;
        if (f.tag == NODE_NAME)
            p->name = f.bytes;
        else if (f.tag == NODE_OP_TYPE)
            p->op_type = f.bytes;
        else if (f.tag == NODE_DOMAIN)
            p->domain = f.bytes;
        if (p->n_in > NODE_LISTS_MAX || p->n_out > NODE_LISTS_MAX ||
            p->n_attr > NODE_LISTS_MAX)
            return hst__fail(r->err, HST_E_LIMIT, "a node has too many inputs");
    }
    return w.failed ? bad(r, "a node") : HST_OK;
}

typedef struct list {
    hst__attr *attr;
    int64_t *ints;
    float *floats;
    size_t n, cap;
    hst__arena *arena;
    bool failed;
} list;

static bool put_int(void *user, uint64_t number) {
    list *l = user;
    if (l->ints)
        l->ints[l->n] = (int64_t)number;
    l->n++;
    return true;
}

static bool put_float(void *user, uint64_t number) {
    list *l = user;
    uint32_t bits = (uint32_t)number;
    if (l->floats)
        memcpy(&l->floats[l->n], &bits, sizeof bits);
    l->n++;
    return true;
}

/** Counts, takes memory, fills: the numbers of an INTS or FLOATS attribute. */
static bool read_numbers(hst__reader *r, hst__span message, uint32_t tag, list *l) {
    for (int round = 0; round < 2; round++) {
        hst__wire w;
        hst__wire_field f;
        bool ok = true;
        l->n = 0;
        hst__wire_open(&w, message);
        while (ok && hst__wire_next(&w, &f))
            if (f.tag == tag)
                ok = tag == ATTR_INTS ? hst__wire_numbers(&f, PB_WT_VARINT, put_int, l)
                                      : hst__wire_numbers(&f, PB_WT_32BIT, put_float, l);
        if (!ok || w.failed)
            return false;
        if (round == 0 && tag == ATTR_INTS)
            l->ints = hst__arena_array(&r->g->arena, l->n, sizeof *l->ints);
        else if (round == 0)
            l->floats = hst__arena_array(&r->g->arena, l->n, sizeof *l->floats);
        l->failed = tag == ATTR_INTS ? !l->ints : !l->floats;
        if (l->failed)
            return true;
    }
    return true;
}

/** The type of attributes written before the field "type" existed, from what is there. */
static hst__attr_type type_of_tag(uint32_t tag) {
    switch (tag) {
    case ATTR_F:
        return HST__ATTR_FLOAT;
    case ATTR_I:
        return HST__ATTR_INT;
    case ATTR_S:
        return HST__ATTR_STRING;
    case ATTR_T:
        return HST__ATTR_TENSOR;
    case ATTR_FLOATS:
        return HST__ATTR_FLOATS;
    case ATTR_INTS:
        return HST__ATTR_INTS;
    case ATTR_STRINGS:
        return HST__ATTR_STRINGS;
    default:
        return HST__ATTR_OTHER;
    }
}

/** AttributeProto.AttributeType numbers. */
static hst__attr_type type_of_number(uint64_t number) {
    static const hst__attr_type types[] = {
        HST__ATTR_OTHER,  HST__ATTR_FLOAT,  HST__ATTR_INT,
        HST__ATTR_STRING, HST__ATTR_TENSOR, HST__ATTR_OTHER,
        HST__ATTR_FLOATS, HST__ATTR_INTS,   HST__ATTR_STRINGS};
    return number < sizeof types / sizeof *types ? types[number] : HST__ATTR_OTHER;
}

typedef struct attr_parts {
    hst__span name, s, t;
    uint64_t i, type;
    uint32_t f_bits, tag; /**< tag: the last value field seen */
    bool reference;
} attr_parts;

static bool read_attr_parts(hst__span message, attr_parts *p) {
    hst__wire w;
    hst__wire_field f;
    hst__wire_open(&w, message);
    while (hst__wire_next(&w, &f)) {
        switch (f.tag) {
        case ATTR_NAME:
            p->name = f.bytes;
            break;
        case ATTR_F:
            p->f_bits = (uint32_t)f.number;
            break;
        case ATTR_I:
            p->i = f.number;
            break;
        case ATTR_S:
        case ATTR_STRINGS:
            p->s = p->s.data ? p->s : f.bytes;
            break;
        case ATTR_T:
            p->t = f.bytes;
            break;
        case ATTR_TYPE:
            p->type = f.number;
            break;
        case ATTR_REF_NAME:
            p->reference = true;
            break;
        default:
            break;
        }
        if ((f.tag >= ATTR_F && f.tag <= ATTR_GRAPHS) || f.tag == ATTR_SPARSE_TENSOR)
            p->tag = f.tag;
    }
    return !w.failed;
}

static hst_status keep_tensor(hst__reader *r, hst__span message, hst__attr *a) {
    hst_tensor *t;
    hst_status st = hst__tensor_read(message, &r->source, NULL, &t, r->err);
    if (st == HST_E_UNSUPPORTED) { /* an attribute nobody may ask for */
        a->type = HST__ATTR_OTHER;
        return HST_OK;
    }
    if (st)
        return st;
    hst__value_id keeper = hst__graph_add_constant(r->g, NULL, t);
    a->tensor = t;
    return keeper == HST__NONE ? no_memory(r) : HST_OK;
}

static hst_status read_attr(hst__reader *r, hst__span message, hst__attr *a) {
    attr_parts p = {0};
    list l = {0};
    if (!read_attr_parts(message, &p))
        return bad(r, "an attribute");
    a->name = hst__reader_text(r, p.name);
    a->s = hst__reader_text(r, p.s);
    if (!a->name || !a->s)
        return no_memory(r);
    a->type = p.reference ? HST__ATTR_OTHER
              : p.type    ? type_of_number(p.type)
                          : type_of_tag(p.tag);
    a->i = (int64_t)p.i;
    memcpy(&a->f, &p.f_bits, sizeof a->f);
    if (a->type == HST__ATTR_TENSOR)
        return keep_tensor(r, p.t, a);
    if (a->type != HST__ATTR_INTS && a->type != HST__ATTR_FLOATS)
        return HST_OK;
    if (!read_numbers(r, message, a->type == HST__ATTR_INTS ? ATTR_INTS : ATTR_FLOATS,
                      &l))
        return bad(r, "an attribute");
    a->ints = l.ints;
    a->floats = l.floats;
    a->count = l.n;
    return l.failed ? no_memory(r) : HST_OK;
}

static hst_status fill_node(hst__reader *r, hst__span message, hst__node *n) {
    hst__wire w;
    hst__wire_field f;
    int in = 0, out = 0, attr = 0;
    hst_status st = HST_OK;
    hst__wire_open(&w, message);
    while (!st && hst__wire_next(&w, &f)) {
        if (f.tag == NODE_ATTRIBUTE) {
            st = read_attr(r, f.bytes, &n->attrs[attr++]);
        } else if (f.tag == NODE_INPUT || f.tag == NODE_OUTPUT) {
            hst__value_id v = HST__NONE;
            if (f.bytes.size && (v = hst__names_get(&r->names, f.bytes)) == HST__NONE)
                st = no_memory(r);
            *(f.tag == NODE_INPUT ? &n->in[in++] : &n->out[out++]) = v;
        }
    }
    return st;
}

/** A Constant node's value as a tensor; NULL and HST_OK for kinds that are not numbers.
 */
static hst_status constant_value(hst__reader *r, const hst__node *n, hst_tensor **out) {
    *out = NULL;
    for (int i = 0; i < n->n_attr; i++) {
        const hst__attr *a = &n->attrs[i];
        hst__desc d = {.rank = 0};
        const void *from = NULL;
        if (a->type == HST__ATTR_TENSOR) {
            d = a->tensor->desc;
            from = a->tensor->data;
        } else if (strcmp(a->name, "value_float") == 0 && a->type == HST__ATTR_FLOAT) {
            d.dtype = HST_DTYPE_F32;
            from = &a->f;
        } else if (strcmp(a->name, "value_int") == 0 && a->type == HST__ATTR_INT) {
            d.dtype = HST_DTYPE_S64;
            from = &a->i;
        } else if (a->type == HST__ATTR_FLOATS || a->type == HST__ATTR_INTS) {
            bool ints = a->type == HST__ATTR_INTS;
            d = (hst__desc){.dtype = ints ? HST_DTYPE_S64 : HST_DTYPE_F32,
                            .rank = 1,
                            .dims = {(int64_t)a->count}};
            from = ints ? (const void *)a->ints : (const void *)a->floats;
        }
        if (!d.dtype)
            continue;
        if (a->type == HST__ATTR_TENSOR && !a->tensor->owned) { /* stays in the file */
            hst_status st =
                hst_tensor_wrap(&d, (void *)from, a->tensor->bytes, out, r->err);
            if (!st)
                (*out)->mapped = a->tensor->mapped;
            return st;
        }
        hst_status st = hst_tensor_create(&d, out, r->err);
        if (!st && (*out)->bytes)
            memcpy((*out)->data, from, (*out)->bytes);
        return st;
    }
    return HST_OK;
}

hst_status hst__reader_node(hst__reader *r, hst__span message) {
    node_parts p = {0};
    hst_status st = count_parts(r, message, &p);
    if (st)
        return st;
    hst__node *n = hst__graph_new_node(r->g, HST__OP_UNKNOWN, p.n_in, p.n_out);
    if (!n)
        return no_memory(r);
    n->n_attr = p.n_attr;
    n->attrs = hst__arena_array(&r->g->arena, (size_t)p.n_attr, sizeof *n->attrs);
    n->name = hst__reader_text(r, p.name);
    n->op_type = hst__reader_text(r, p.op_type);
    n->domain = hst__reader_text(r, p.domain);
    if (!n->attrs || !n->name || !n->op_type || !n->domain)
        return no_memory(r);
    n->op = hst__op_find(n->domain, n->op_type);
    n->opset = hst__reader_opset(r, p.domain);
    st = fill_node(r, message, n);
    if (st)
        return st;
    if (n->op == HST__OP_Constant && n->n_out == 1 && n->out[0] != HST__NONE &&
        !r->g->values[n->out[0]].constant) {
        hst_tensor *t;
        st = constant_value(r, n, &t);
        if (st || t)
            return st                                            ? st
                   : hst__graph_set_constant(r->g, n->out[0], t) ? HST_OK
                                                                 : no_memory(r);
    }
    return hst__graph_append(r->g, n) ? HST_OK : no_memory(r);
}
