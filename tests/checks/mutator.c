#include "mutator.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The messages of onnx.proto that are looked into. */
enum kind {
    MODEL,
    GRAPH,
    NODE,
    ATTRIBUTE,
    TENSOR,
    VALUE,
    TYPE,
    TENSOR_TYPE,
    SHAPE,
    DIM,
    OPSET,
    FUNCTION,
    NUMBERS, /**< a packed list of varints */
    BYTES,   /**< text, or payload */
};

static const struct {
    enum kind in;
    unsigned tag;
    enum kind kind;
} parts[] = {
    {MODEL, 7, GRAPH},         {MODEL, 8, OPSET},      {MODEL, 25, FUNCTION},
    {GRAPH, 1, NODE},          {GRAPH, 5, TENSOR},     {GRAPH, 11, VALUE},
    {GRAPH, 12, VALUE},        {GRAPH, 13, VALUE},     {NODE, 5, ATTRIBUTE},
    {ATTRIBUTE, 5, TENSOR},    {ATTRIBUTE, 6, GRAPH},  {ATTRIBUTE, 8, NUMBERS},
    {TENSOR, 1, NUMBERS},      {TENSOR, 5, NUMBERS},   {TENSOR, 7, NUMBERS},
    {VALUE, 2, TYPE},          {TYPE, 1, TENSOR_TYPE}, {TENSOR_TYPE, 2, SHAPE},
    {SHAPE, 1, DIM},           {FUNCTION, 7, NODE},    {FUNCTION, 9, OPSET},
    {FUNCTION, 11, ATTRIBUTE},
};

/** Payloads longer than this are weights: they are kept as they are. */
enum { SMALL = 256, TARGETS = 6, CHANGES = 12 };

struct mutator_span {
    size_t from, to; /**< offsets in the file */
};

static enum kind part_kind(enum kind in, unsigned tag) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].in == in && parts[i].tag == tag)
            return parts[i].kind;
    return BYTES;
}

/** xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators,
 * scrambled", 2016. */
static uint64_t draw(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

static size_t below(uint64_t *state, size_t n) {
    return n ? (size_t)((draw(state) >> 16) % n) : 0;
}

/* Bytes that grow. */

typedef struct bytes {
    uint8_t *data;
    size_t size, cap;
    bool failed;
} bytes;

static void put(bytes *b, const void *p, size_t n) {
    if (b->failed)
        return;
    if (b->size + n > b->cap) {
        size_t cap = 2 * (b->size + n) + 64;
        uint8_t *data = realloc(b->data, cap);
        if (!data) {
            b->failed = true;
            return;
        }
        b->data = data;
        b->cap = cap;
    }
    if (n)
        memcpy(b->data + b->size, p, n);
    b->size += n;
}

static void put_varint(bytes *b, uint64_t v) {
    uint8_t text[10];
    size_t n = 0;
    for (; v > 127; v >>= 7)
        text[n++] = (uint8_t)(v | 128);
    text[n++] = (uint8_t)v;
    put(b, text, n);
}

static const uint8_t *get_varint(const uint8_t *p, const uint8_t *end, uint64_t *v) {
    *v = 0;
    for (int shift = 0; p < end && shift < 70; shift += 7) {
        *v |= shift < 64 ? (uint64_t)(*p & 127) << shift : 0;
        if (!(*p++ & 128))
            return p;
    }
    return NULL;
}

typedef struct field {
    unsigned tag, wire;
    uint64_t number;      /**< wire 0 */
    const uint8_t *value; /**< wires 1, 2, 5 */
    size_t length;        /**< of value */
    const uint8_t *at, *end;
} field;

/** The next field; NULL at a malformed one. */
static const uint8_t *get_field(const uint8_t *p, const uint8_t *end, field *f) {
    uint64_t key, n = 0;
    *f = (field){.at = p};
    p = get_varint(p, end, &key);
    if (!p)
        return NULL;
    f->tag = (unsigned)(key >> 3);
    f->wire = (unsigned)(key & 7);
    if (f->wire == 0) {
        p = get_varint(p, end, &f->number);
    } else if (f->wire == 2) {
        p = get_varint(p, end, &n);
    } else if (f->wire == 1 || f->wire == 5) {
        n = f->wire == 1 ? 8 : 4;
    } else {
        return NULL;
    }
    if (!p || n > (uint64_t)(end - p))
        return NULL;
    f->value = p;
    f->length = (size_t)n;
    f->end = p + n;
    return f->end;
}

/* Looking. */

static bool is_message(enum kind k) { return k < NUMBERS; }

static int scan(mutator *m, enum kind in, const uint8_t *p, const uint8_t *end) {
    field f;
    while (p < end) {
        p = get_field(p, end, &f);
        if (!p)
            return 1;
        m->leaves++;
        enum kind k = f.wire == 2 ? part_kind(in, f.tag) : BYTES;
        if (f.wire == 2 && is_message(k)) {
            if (scan(m, k, f.value, f.end))
                return 1;
        } else if (f.length > SMALL) {
            if (m->n_payloads == m->cap_payloads) {
                m->cap_payloads = 2 * m->cap_payloads + 64;
                m->payloads = realloc(m->payloads, m->cap_payloads * sizeof *m->payloads);
                if (!m->payloads)
                    return 1;
            }
            m->payloads[m->n_payloads++] = (struct mutator_span){
                (size_t)(f.value - m->model), (size_t)(f.end - m->model)};
            m->structural -= f.length;
        }
    }
    return 0;
}

int mutator_init(mutator *m, const void *model, size_t size) {
    *m = (mutator){.model = model, .size = size, .structural = size};
    return scan(m, MODEL, m->model, m->model + size) || m->leaves == 0;
}

void mutator_fini(mutator *m) { free(m->payloads); }

size_t mutator_offset(const mutator *m, size_t i) {
    for (size_t k = 0; k < m->n_payloads; k++) {
        if (i < m->payloads[k].from)
            return i;
        i += m->payloads[k].to - m->payloads[k].from;
    }
    return i;
}

/* Changing. */

typedef struct maker {
    const mutator *m;
    uint64_t random;
    size_t leaf, targets[TARGETS];
    int n_targets;
} maker;

static bool targeted(maker *k) {
    bool hit = false;
    for (int i = 0; i < k->n_targets; i++)
        hit |= k->targets[i] == k->leaf;
    k->leaf++;
    return hit;
}

static uint64_t odd_number(maker *k, uint64_t old) {
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   3,
                                   7,
                                   8,
                                   64,
                                   127,
                                   255,
                                   1000,
                                   4096,
                                   65535,
                                   65536,
                                   1u << 20,
                                   1u << 24,
                                   1u << 28,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   (uint64_t)1 << 32,
                                   (uint64_t)1 << 40,
                                   (uint64_t)1 << 62,
                                   INT64_MAX,
                                   (uint64_t)INT64_MIN,
                                   UINT64_MAX,
                                   UINT64_MAX - 1,
                                   UINT64_MAX - 6};
    switch (below(&k->random, 6)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    case 2:
        return old * 2;
    case 3:
        return below(&k->random, 20);
    default:
        return odd[below(&k->random, sizeof odd / sizeof *odd)];
    }
}

static void change_float(maker *k, uint8_t *p) {
    static const float odd[] = {0, -0.0f, 1, -1, 1e30f, -1e30f, 1e-40f, 0.5f, 65536};
    uint32_t special[] = {0x7fc00000, 0x7f800000, 0xff800000};
    size_t i = below(&k->random, sizeof odd / sizeof *odd + 3);
    if (i < 3)
        memcpy(p, &special[i], 4);
    else
        memcpy(p, &odd[i - 3], 4);
}

/** A packed list with one number changed, left out or doubled. */
static void change_numbers(maker *k, const field *f, bytes *out) {
    const uint8_t *p = f->value;
    size_t n = 0, at = 0;
    uint64_t v;
    for (; p && p < f->end; n++)
        p = get_varint(p, f->end, &v);
    size_t victim = below(&k->random, n + 1);
    for (p = f->value; p && p < f->end; at++) {
        p = get_varint(p, f->end, &v);
        if (!p)
            return;
        size_t how = at == victim ? below(&k->random, 8) : 8;
        if (how == 0)
            continue;
        put_varint(out, how < 7 ? odd_number(k, v) : v);
        if (how == 7)
            put_varint(out, v);
    }
    if (victim == n)
        put_varint(out, odd_number(k, 1));
}

/** A text of the same kind from elsewhere in the file: of the same tag and parent. */
static bool other_text(maker *k, enum kind in, const uint8_t *p, const uint8_t *end,
                       enum kind wanted, unsigned tag, size_t *skip, field *found) {
    field f;
    while (p < end && (p = get_field(p, end, &f))) {
        enum kind kind = f.wire == 2 ? part_kind(in, f.tag) : BYTES;
        if (in == wanted && f.tag == tag && f.wire == 2) {
            *found = f;
            if ((*skip)-- == 0)
                return true;
        } else if (f.wire == 2 && is_message(kind) &&
                   other_text(k, kind, f.value, f.end, wanted, tag, skip, found)) {
            return true;
        }
    }
    return false;
}

/** Small payloads may hold shapes, axes, sizes: numbers of 8 or 4 bytes. */
static void change_payload(maker *k, enum kind in, const field *f, bytes *out) {
    size_t from = out->size, how = below(&k->random, 5);
    if (how == 0 && f->length <= SMALL && in != TENSOR) {
        size_t skip = below(&k->random, 64);
        field other = *f;
        other_text(k, MODEL, k->m->model, k->m->model + k->m->size, in, f->tag, &skip,
                   &other);
        put(out, other.value, other.length <= SMALL ? other.length : 0);
        return;
    }
    put(out, f->value, f->length);
    if (out->failed || f->length == 0)
        return;
    uint8_t *p = out->data + from;
    if (how <= 2 && in == TENSOR && f->length % 8 == 0) {
        uint64_t old, at = below(&k->random, f->length / 8) * 8;
        memcpy(&old, p + at, 8);
        old = odd_number(k, old);
        memcpy(p + at, &old, 8);
    } else if (how == 3 && f->length % 4 == 0) {
        change_float(k, p + below(&k->random, f->length / 4) * 4);
    } else if (how == 4) {
        out->size -= 1 + below(&k->random, f->length);
    } else {
        p[below(&k->random, f->length)] = (uint8_t)draw(&k->random);
    }
}

static void put_field(bytes *out, unsigned tag, unsigned wire, const void *p, size_t n) {
    put_varint(out, (uint64_t)tag << 3 | wire);
    if (wire == 2)
        put_varint(out, n);
    put(out, p, n);
}

static void copy_message(maker *k, enum kind in, const uint8_t *p, const uint8_t *end,
                         bytes *out);

static void change_field(maker *k, enum kind in, const field *f, enum kind kind,
                         bytes *out) {
    bytes inner = {0};
    bool message = f->wire == 2 && is_message(kind);
    size_t how = below(&k->random, 16);
    if (message)
        how %= 3;
    if (how == 0) /* gone */
        return;
    if (how == 1) /* twice */
        put(out, f->at, (size_t)(f->end - f->at));
    unsigned tag = how == 2 ? 1 + (unsigned)below(&k->random, 26) : f->tag;
    if (f->wire == 0) {
        put_varint(out, (uint64_t)tag << 3);
        put_varint(out, how > 2 ? odd_number(k, f->number) : f->number);
        return;
    }
    if (f->wire == 2 && kind == NUMBERS && how > 2)
        change_numbers(k, f, &inner);
    else if (f->wire == 2 && kind == BYTES && how > 2)
        change_payload(k, in, f, &inner);
    else
        put(&inner, f->value, f->length);
    if (f->wire == 5 && !inner.failed)
        change_float(k, inner.data);
    put_field(out, tag, f->wire, inner.data, inner.size);
    out->failed |= inner.failed;
    free(inner.data);
}

/** Most changes of names and of whole messages end at the reader; numbers get farther. */
static bool worthwhile(maker *k, enum kind kind, const field *f) {
    bool number = f->wire != 2 || kind == NUMBERS;
    return number || below(&k->random, 6) == 0;
}

/** Copies the fields of a message, changing those that are targets. A target that is a
 * message itself is dropped, doubled or renamed, and what it holds stays. */
static void copy_message(maker *k, enum kind in, const uint8_t *p, const uint8_t *end,
                         bytes *out) {
    field f;
    while (p < end && (p = get_field(p, end, &f))) {
        enum kind kind = f.wire == 2 ? part_kind(in, f.tag) : BYTES;
        if (targeted(k) && worthwhile(k, kind, &f)) {
            change_field(k, in, &f, kind, out);
        } else if (f.wire == 2 && is_message(kind)) {
            bytes inner = {0};
            copy_message(k, kind, f.value, f.end, &inner);
            put_field(out, f.tag, 2, inner.data, inner.size);
            out->failed |= inner.failed;
            free(inner.data);
        } else {
            put(out, f.at, (size_t)(f.end - f.at));
        }
    }
}

/** Changes bytes as they lie, so that lengths lie too. */
static void change_bytes(maker *k, bytes *b) {
    static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x3a};
    for (size_t n = 1 + below(&k->random, CHANGES); n > 0; n--) {
        size_t at = mutator_offset(k->m, below(&k->random, k->m->structural));
        if (at >= b->size)
            continue;
        if (below(&k->random, 2))
            b->data[at] ^= (uint8_t)(1u << below(&k->random, 8));
        else
            b->data[at] = odd[below(&k->random, sizeof odd)];
    }
}

uint8_t *mutator_make(const mutator *m, uint64_t seed, size_t *size) {
    bytes out = {0};
    maker k = {.m = m, .random = seed * 0x9e3779b97f4a7c15u + 88172645463325252u};
    draw(&k.random);
    if (below(&k.random, 8) == 0) {
        put(&out, m->model, m->size);
        if (!out.failed)
            change_bytes(&k, &out);
    } else {
        k.n_targets = 1 + (int)below(&k.random, TARGETS);
        for (int i = 0; i < k.n_targets; i++)
            k.targets[i] = below(&k.random, m->leaves);
        copy_message(&k, MODEL, m->model, m->model + m->size, &out);
    }
    if (out.failed) {
        free(out.data);
        return NULL;
    }
    *size = out.size;
    return out.data ? out.data : malloc(1);
}
