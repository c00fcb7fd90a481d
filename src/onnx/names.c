#include "onnx/names.h"

#include <string.h>

void hst__names_fini(hst__names *n) {
    hst__free(n->table);
    *n = (hst__names){0};
}

/** FNV-1a, 64 bits: Fowler, Noll, Vo. */
static uint64_t hash(const char *s, size_t size) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)s[i]) * 1099511628211u;
    return h;
}

static size_t place(const hst__names *n, const char *s, size_t size) {
    size_t at = hash(s, size) & (n->size - 1);
    for (;; at = (at + 1) & (n->size - 1)) {
        if (!n->table[at])
            return at;
        const char *name = n->g->values[n->table[at] - 1].name;
        if (strncmp(name, s, size) == 0 && !name[size])
            return at;
    }
}

static bool grow(hst__names *n) {
    hst__names bigger = {.g = n->g, .size = n->size ? 2 * n->size : 256, .used = n->used};
    bigger.table = hst__alloc(bigger.size * sizeof *bigger.table);
    if (!bigger.table)
        return false;
    for (size_t i = 0; i < n->size; i++)
        if (n->table[i]) {
            const char *name = n->g->values[n->table[i] - 1].name;
            bigger.table[place(&bigger, name, strlen(name))] = n->table[i];
        }
    hst__free(n->table);
    *n = bigger;
    return true;
}

static size_t length(hst__span name) {
    return name.size ? strnlen((const char *)name.data, name.size) : 0;
}

hst__value_id hst__names_find(const hst__names *n, hst__span name) {
    if (!n->size)
        return HST__NONE;
    return n->table[place(n, (const char *)name.data, length(name))] - 1;
}

hst__value_id hst__names_get(hst__names *n, hst__span name) {
    size_t size = length(name);
    if (2 * (n->used + 1) > n->size && !grow(n))
        return HST__NONE;
    size_t at = place(n, (const char *)name.data, size);
    if (n->table[at])
        return n->table[at] - 1;
    char *copy = hst__arena_strndup(&n->g->arena, (const char *)name.data, size);
    hst__value_id v = copy ? hst__graph_add_value(n->g, NULL, NULL) : HST__NONE;
    if (v == HST__NONE)
        return v;
    n->g->values[v].name = copy;
    n->table[at] = v + 1;
    n->used++;
    return v;
}
