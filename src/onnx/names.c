#include "onnx/names.h"

#include <string.h>
#include <sys/random.h>

void hst__names_init(hst__names *n) {
    *n = (hst__names){0};
    /* A file must not be able to choose names that collide. Results do not depend on the
     * seed; where there is no random number, an address does. */
    if (getrandom(&n->seed, sizeof n->seed, GRND_NONBLOCK) != sizeof n->seed)
        n->seed = (uint64_t)(uintptr_t)n * 0x9e3779b97f4a7c15u;
}

void hst__names_fini(hst__names *n) {
    hst__free(n->items);
    hst__free(n->table);
    *n = (hst__names){0};
}

/** Both halves of a 128-bit product, folded: the mixing step of wyhash (Wang Yi). */
static uint64_t mix(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash(uint64_t seed, uint32_t scope, hst__span s) {
    uint64_t h = seed ^ mix(scope + 1u, 0xa0761d6478bd642fu), word = 0;
    size_t at = 0;
    for (; s.size - at >= 8; at += 8) {
        memcpy(&word, s.data + at, 8);
        h = mix(h ^ word, 0xe7037ed1a0b428dbu);
    }
    word = 0;
    if (s.size > at)
        memcpy(&word, s.data + at, s.size - at);
    return mix(mix(h ^ word, 0x8ebc6af09c88c6e3u) ^ s.size, 0x589965cc75374cc3u);
}

/** Where the name is in the table, or the free place where it belongs. */
static size_t place(const hst__names *n, uint32_t scope, hst__span text) {
    size_t at = hash(n->seed, scope, text) & (n->table_size - 1);
    for (;; at = (at + 1) & (n->table_size - 1)) {
        if (!n->table[at])
            return at;
        const hst__name *item = &n->items[n->table[at] - 1];
        if (item->scope == scope && hst__span_equal(item->text, text))
            return at;
    }
}

static bool grow(hst__names *n) {
    size_t cap = n->cap ? 2 * n->cap : 128;
    if (cap > UINT32_MAX)
        return false;
    hst__name *items =
        hst__realloc(n->items, n->cap * sizeof *items, cap * sizeof *items);
    if (!items)
        return false;
    n->items = items;
    uint32_t *table = hst__alloc(2 * cap * sizeof *table);
    if (!table)
        return false;
    hst__free(n->table);
    n->table = table;
    n->table_size = 2 * cap;
    n->cap = cap;
    for (size_t i = 0; i < n->count; i++)
        table[place(n, items[i].scope, items[i].text)] = (uint32_t)i + 1;
    return true;
}

const hst__name *hst__names_find(const hst__names *n, uint32_t scope, hst__span text) {
    if (!n->table_size)
        return NULL;
    uint32_t index = n->table[place(n, scope, text)];
    return index ? &n->items[index - 1] : NULL;
}

bool hst__names_add(hst__names *n, uint32_t scope, hst__span text, hst__value_id value) {
    if (n->count == n->cap && !grow(n))
        return false;
    size_t at = place(n, scope, text);
    n->items[n->count++] = (hst__name){.scope = scope, .value = value, .text = text};
    n->table[at] = (uint32_t)n->count;
    return true;
}
