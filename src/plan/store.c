#include "plan/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_map.h"
#include "base/pool.h"
#include "plan/store_key.h"

static const char magic[8] = "HSTPLAN1";

typedef struct block_entry {
    uint64_t offset, bytes, hash;
} block_entry;

/** The file's beginning, in the machine's byte order; the table of blocks follows. */
typedef struct store_header {
    char magic[8];
    uint64_t key[2], content[2];
    uint64_t n_blocks, file_bytes;
    uint64_t hash;        /**< of all above and the table */
    uint64_t identity[2]; /**< of the model's files when they were last seen to fit */
} store_header;

struct hst__store {
    hst__file_map map;
    const store_header *header;
    const block_entry *table;
    bool missed; /**< a block was asked for that is not there */
    atomic_bool damaged;
};

/* Reading. */

/** FOLDER/KEY.plan */
static bool store_path(const char *folder, const uint64_t key[2], char *out, size_t cap) {
    int n = snprintf(out, cap, "%s/%016llx%016llx.plan", folder,
                     (unsigned long long)key[0], (unsigned long long)key[1]);
    return n > 0 && (size_t)n < cap;
}

static uint64_t header_hash(const store_header *h, const block_entry *table) {
    return hst__hash_two(h, offsetof(store_header, hash), table,
                         (size_t)h->n_blocks * sizeof *table);
}

static bool blocks_lie_inside(const hst__store *s) {
    const store_header *h = s->header;
    for (uint64_t i = 0; i < h->n_blocks; i++) {
        const block_entry *b = &s->table[i];
        if (b->offset % HST__ALIGN || b->offset > s->map.size ||
            b->bytes > s->map.size - b->offset)
            return false;
    }
    return true;
}

static bool is_whole(hst__store *s, const uint64_t key[2]) {
    const store_header *h = (const store_header *)(const void *)s->map.data;
    if (s->map.size < sizeof *h || memcmp(h->magic, magic, sizeof magic) != 0 ||
        memcmp(h->key, key, sizeof h->key) != 0 || h->file_bytes != s->map.size ||
        h->n_blocks > (s->map.size - sizeof *h) / sizeof(block_entry))
        return false;
    s->header = h;
    s->table = (const block_entry *)(const void *)(h + 1);
    return header_hash(h, s->table) == h->hash && blocks_lie_inside(s);
}

/** The next time the files need not be read to know them. */
static void remember(const char *path, const uint64_t *identity) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t done =
        pwrite(fd, identity, 2 * sizeof *identity, offsetof(store_header, identity));
    (void)done; /* without it the files are read again */
    close(fd);
}

/** By the files' identity, or else by all that the constants hold. */
static bool same_model(const hst__store *s, const hst__graph *graph,
                       const uint64_t *identity, const char *path) {
    uint64_t content[2];
    size_t bytes = sizeof s->header->identity;
    if (identity && memcmp(s->header->identity, identity, bytes) == 0)
        return true;
    hst__store_content(graph, content);
    if (memcmp(s->header->content, content, sizeof content) != 0)
        return false;
    if (identity)
        remember(path, identity);
    return true;
}

static void verify(void *context, int index, int worker) {
    hst__store *s = context;
    const block_entry *b = &s->table[index];
    (void)worker;
    if (hst__hash_two(s->map.data + b->offset, (size_t)b->bytes, NULL, 0) != b->hash)
        s->damaged = true;
}

static bool adopt(hst__store *s, const hst__graph *graph,
                  const hst__plan_options *options, const char *path,
                  const uint64_t key[2]) {
    hst_error ignored;
    if (hst__file_map_open(path, &s->map, &ignored) || !is_whole(s, key) ||
        !same_model(s, graph, options->identity, path))
        return false;
    hst__pool_run(options->threads, (int)s->header->n_blocks, verify, s);
    return !s->damaged;
}

static bool binds(const hst__graph *graph, const hst__plan_options *options) {
    for (int i = 0; options->values && i < graph->n_inputs; i++)
        if (options->values[i])
            return true;
    return false;
}

hst__store *hst__store_open(const hst__graph *graph, const hst__plan_options *options) {
    char path[4096];
    uint64_t key[2];
    if (!options->folder || binds(graph, options) ||
        !hst__store_key(graph, options, key) ||
        !store_path(options->folder, key, path, sizeof path) || access(path, R_OK) != 0)
        return NULL;
    hst__store *s = hst__alloc(sizeof *s);
    if (s && !adopt(s, graph, options, path, key)) {
        hst__store_close(s);
        return NULL;
    }
    return s;
}

void hst__store_close(hst__store *store) {
    if (!store)
        return;
    hst__file_map_close(&store->map);
    hst__free(store);
}

void *hst__store_find(void *store, int index, size_t bytes) {
    hst__store *s = store;
    if ((uint64_t)index < s->header->n_blocks && s->table[index].bytes == bytes)
        return (void *)(uintptr_t)(s->map.data + s->table[index].offset);
    s->missed = true;
    return NULL;
}

bool hst__store_fits(const hst__store *store, const hst__op_blocks *blocks) {
    return !store->missed && (uint64_t)blocks->count == store->header->n_blocks;
}

/* Writing. */

static hst_status fail_io(const char *path, hst_error *err) {
    return hst__fail(err, HST_E_IO, "'%.1000s': %s", path, strerror(errno));
}

/** Where the data begin and end, and each block's place and checksum. */
static size_t fill_table(const hst__op_blocks *blocks, block_entry *table) {
    size_t at = sizeof(store_header) + (size_t)blocks->count * sizeof *table;
    for (int i = 0; i < blocks->count; i++) {
        const hst__op_block_item *b = &blocks->items[i];
        at = hst__round_up(at, HST__ALIGN);
        table[i] = (block_entry){at, b->bytes, hst__hash_two(b->data, b->bytes, NULL, 0)};
        at += b->bytes;
    }
    return at;
}

static bool write_all(FILE *f, const store_header *h, const block_entry *table,
                      const hst__op_blocks *blocks) {
    static const char zeros[HST__ALIGN];
    size_t at = sizeof *h + (size_t)blocks->count * sizeof *table;
    fwrite(h, sizeof *h, 1, f);
    fwrite(table, sizeof *table, (size_t)blocks->count, f);
    for (int i = 0; i < blocks->count; i++) {
        fwrite(zeros, 1, (size_t)table[i].offset - at, f);
        fwrite(blocks->items[i].data, 1, blocks->items[i].bytes, f);
        at = (size_t)(table[i].offset + table[i].bytes);
    }
    return fflush(f) == 0 && !ferror(f);
}

/** Under another name first, so that nobody ever sees half a file. */
static hst_status write_file(const char *path, const store_header *h,
                             const block_entry *table, const hst__op_blocks *blocks,
                             hst_error *err) {
    char scratch[4200];
    snprintf(scratch, sizeof scratch, "%s.XXXXXX", path);
    int fd = mkstemp(scratch);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f) {
        hst_status st = fail_io(scratch, err);
        if (fd >= 0)
            close(fd);
        return st;
    }
    bool done = write_all(f, h, table, blocks);
    hst_status st = done ? HST_OK : fail_io(scratch, err);
    if (fclose(f) != 0 && !st)
        st = fail_io(scratch, err);
    if (!st && rename(scratch, path) != 0)
        st = fail_io(path, err);
    if (st)
        unlink(scratch);
    return st;
}

/** With the folders above it. */
static hst_status make_folder(const char *folder, hst_error *err) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return hst__fail(err, HST_E_ARG, "the name of the folder is too long");
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0700);
            *p = '/';
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST ? HST_OK : fail_io(path, err);
}

hst_status hst__store_write(const hst__plan *plan, const hst__graph *graph,
                            const hst__plan_options *options, char *path, size_t cap,
                            size_t *bytes, hst_error *err) {
    const hst__op_blocks *blocks = &plan->blocks;
    store_header h = {.n_blocks = (uint64_t)blocks->count};
    memcpy(h.magic, magic, sizeof magic);
    if (!hst__store_key(graph, options, h.key))
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "this build of the library cannot be told from others: link it "
                         "with --build-id");
    if (!store_path(options->folder, h.key, path, cap))
        return hst__fail(err, HST_E_ARG, "the name of the folder is too long");
    hst__store_content(graph, h.content);
    if (options->identity)
        memcpy(h.identity, options->identity, sizeof h.identity);
    block_entry *table = hst__alloc(((size_t)blocks->count + 1) * sizeof *table);
    if (!table)
        return hst__fail_nomem(err, (size_t)blocks->count * sizeof *table);
    h.file_bytes = *bytes = fill_table(blocks, table);
    h.hash = header_hash(&h, table);
    hst_status st = make_folder(options->folder, err);
    if (!st)
        st = write_file(path, &h, table, blocks, err);
    hst__free(table);
    return st;
}
