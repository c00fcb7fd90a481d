/* All heap memory of the library passes here, so that a test can make the N-th allocation
 * fail and count what a run allocates. Also checked size arithmetic and the bump arena.
 */
#ifndef HST_BASE_MEMORY_H
#define HST_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HST__ALIGN                                                                       \
    128 /**< bytes; two cache lines, so that prefetch pairs never split                  \
         */

/** No single block is larger, whatever a file claims: 2 GiB less a page. */
#define HST__ALLOC_MAX (((size_t)2 << 30) - 4096)

/** Zeroed memory aligned to HST__ALIGN; NULL when there is none or bytes are more than
 * HST__ALLOC_MAX (hst__fail_nomem tells the two apart). hst__free releases it. */
void *hst__alloc(size_t bytes);
/** Like hst__alloc, contents undefined: for large buffers that are written in full. */
void *hst__alloc_raw(size_t bytes);
/** Grows an array to new_bytes, copying old_bytes and zeroing the rest; on failure NULL
 * and the old block stays. */
void *hst__realloc(void *old, size_t old_bytes, size_t new_bytes);
void hst__free(void *p);
char *hst__strdup(const char *s);

/** Test hook: called before each allocation with its size; false makes it fail. Not for
 * concurrent change; NULL (the default) allows all. */
typedef bool hst__alloc_hook(size_t bytes, void *user);
void hst__alloc_set_hook(hst__alloc_hook *hook, void *user);

/** a*b and a+b into *out; false on overflow. */
static inline bool hst__mul(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool hst__add(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
static inline size_t hst__round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/** Bump allocator: many small objects that die together. */
typedef struct hst__arena {
    struct hst__arena_block *head;
    size_t total; /**< bytes taken from the heap */
} hst__arena;

/** Zeroed, 16-byte aligned; NULL when the heap is exhausted. Zero bytes give a valid
 * pointer. */
void *hst__arena_alloc(hst__arena *arena, size_t bytes);
/** count*size with overflow check. */
void *hst__arena_array(hst__arena *arena, size_t count, size_t size);
char *hst__arena_strndup(hst__arena *arena, const char *s, size_t n);
/** Releases everything; the arena is empty and usable again. */
void hst__arena_fini(hst__arena *arena);

#endif
