#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static hst__alloc_hook *alloc_hook;
static void *alloc_user;

void hst__alloc_set_hook(hst__alloc_hook *hook, void *user) {
    alloc_hook = hook;
    alloc_user = user;
}

void *hst__alloc_raw(size_t bytes) {
    if (bytes > HST__ALLOC_MAX || (alloc_hook && !alloc_hook(bytes, alloc_user)))
        return NULL;
    return aligned_alloc(HST__ALIGN, hst__round_up(bytes ? bytes : 1, HST__ALIGN));
}

void *hst__alloc(size_t bytes) {
    void *p = hst__alloc_raw(bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

void *hst__realloc(void *old, size_t old_bytes, size_t new_bytes) {
    char *p = hst__alloc_raw(new_bytes);
    if (!p)
        return NULL;
    size_t keep = old_bytes < new_bytes ? old_bytes : new_bytes;
    if (keep)
        memcpy(p, old, keep);
    memset(p + keep, 0, new_bytes - keep);
    hst__free(old);
    return p;
}

void hst__free(void *p) { free(p); }

char *hst__strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *p = hst__alloc_raw(n);
    return p ? memcpy(p, s, n) : NULL;
}

typedef struct hst__arena_block {
    struct hst__arena_block *next;
    size_t used, size;
    _Alignas(16) char data[];
} arena_block;

enum { BLOCK_BYTES = 64 * 1024 - 64 };

void *hst__arena_alloc(hst__arena *arena, size_t bytes) {
    if (bytes > PTRDIFF_MAX - 2 * BLOCK_BYTES)
        return NULL;
    size_t need = hst__round_up(bytes ? bytes : 1, 16);
    arena_block *b = arena->head;
    if (!b || b->size - b->used < need) {
        size_t size = need > BLOCK_BYTES / 4 ? need : BLOCK_BYTES;
        arena_block *fresh = hst__alloc(sizeof *fresh + size);
        if (!fresh)
            return NULL;
        fresh->size = size;
        arena->total += sizeof *fresh + size;
        /* A block made for one large object goes behind the head, which keeps its room.
         */
        if (b && size == need) {
            fresh->next = b->next;
            b->next = fresh;
        } else {
            fresh->next = b;
            arena->head = fresh;
        }
        b = fresh;
    }
    void *p = b->data + b->used;
    b->used += need;
    return p;
}

void *hst__arena_array(hst__arena *arena, size_t count, size_t size) {
    size_t bytes;
    return hst__mul(count, size, &bytes) ? hst__arena_alloc(arena, bytes) : NULL;
}

char *hst__arena_strndup(hst__arena *arena, const char *s, size_t n) {
    char *p = hst__arena_alloc(arena, n + 1);
    if (p && n)
        memcpy(p, s, n);
    return p;
}

void hst__arena_fini(hst__arena *arena) {
    for (arena_block *b = arena->head, *next; b; b = next) {
        next = b->next;
        hst__free(b);
    }
    *arena = (hst__arena){0};
}
