/* Buffers between two unreadable pages, with canaries in what is left over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "state.h"

enum { PAGE = 4096, CANARY = 64 };

/* A pattern that depends on the place, so that a shifted copy is noticed too. */
static unsigned char pattern(size_t i) { return (unsigned char)(0xA5u ^ (i * 37u)); }

void *kc_buffer_aligned(kcheck *k, size_t bytes, size_t align) {
    kc_state *s = k->state;
    size_t body = (bytes + CANARY + align - 1 + PAGE - 1) / PAGE * PAGE;
    unsigned char *map = s->n_blocks == KC_MAX_BUFFERS
                             ? MAP_FAILED
                             : mmap(NULL, body + 2 * (size_t)PAGE, PROT_NONE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + PAGE, body, PROT_READ | PROT_WRITE)) {
        printf("kcheck: no memory for a buffer of %zu bytes (%d in use) in %s, %s\n",
               bytes, s->n_blocks, k->family, s->label);
        exit(3);
    }
    unsigned char *end = map + PAGE + body;
    unsigned char *data = end - bytes;
    data -= (uintptr_t)data % align;
    for (size_t i = 0; i < body; i++)
        map[PAGE + i] = pattern(i);
    s->blocks[s->n_blocks++] =
        (kc_block){.map = map, .body = body, .data = data, .bytes = bytes};
    return data;
}

void *kc_buffer(kcheck *k, size_t bytes) { return kc_buffer_aligned(k, bytes, 1); }

float *kc_floats(kcheck *k, size_t n, kc_fill mode) {
    float *x = kc_buffer(k, n * sizeof(float));
    kc_fill_f32(k, x, n, mode);
    return x;
}

/* Offset, relative to the buffer's start, of the first byte outside that was changed. */
static bool find_damage(const kc_block *b, ptrdiff_t *where) {
    const unsigned char *body = b->map + PAGE;
    size_t start = (size_t)(b->data - body);
    for (size_t i = 0; i < b->body; i++) {
        if (i == start && b->bytes) {
            i += b->bytes - 1;
            continue;
        }
        if (body[i] != pattern(i)) {
            *where = (ptrdiff_t)i - (ptrdiff_t)start;
            return true;
        }
    }
    return false;
}

void kc_release(kcheck *k) {
    kc_state *s = k->state;
    for (int i = 0; i < s->n_blocks; i++) {
        kc_block *b = &s->blocks[i];
        ptrdiff_t where = 0;
        bool report, damaged = find_damage(b, &where);
        /* An intact canary is no check of its own: it would inflate the count. */
        if (damaged && !kc_count(k, false, &report) && report)
            printf("    wrote outside buffer %d of this case (%zu bytes): offset %td\n",
                   i, b->bytes, where);
        munmap(b->map, b->body + 2 * (size_t)PAGE);
    }
    s->n_blocks = 0;
}
