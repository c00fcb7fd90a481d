/* Files that lie: every truncation and thousands of mutations of small models, files made
 * to ask for much memory, and allocations that fail. Only error values may come of it;
 * the sanitizers watch, and a hook counts what is allocated. */
#include <stdlib.h>

#include "onnx/onnx.h"
#include "support/test.h"

#define GOLDEN HASTEN_SOURCE_DIR "/tests/golden/onnx"

enum { MUTATIONS = 10000 };

static const char *const models[] = {GOLDEN "/functions.onnx", GOLDEN "/typed.onnx",
                                     GOLDEN "/constants.onnx"};
enum { MODELS = sizeof models / sizeof *models };

typedef struct meter {
    size_t calls, fail_at, total, largest;
} meter;

static bool count(size_t bytes, void *user) {
    meter *m = user;
    m->total += bytes;
    if (bytes > m->largest)
        m->largest = bytes;
    return ++m->calls != m->fail_at;
}

static void check_graph(const hst__onnx_file *file) {
    const hst__graph *g = file->graph;
    for (int i = 0; i < g->n_nodes; i++) {
        const hst__node *n = g->nodes[i];
        assert_true(n->name && n->op_type && n->domain && n->opset > 0);
        for (int k = 0; k < n->n_in + n->n_out; k++)
            assert_true(n->in[k] >= HST__NONE && n->in[k] < g->n_values);
        for (int k = 0; k < n->n_attr; k++)
            assert_true(n->attrs[k].name && *n->attrs[k].name);
    }
    for (int v = 0; v < g->n_values; v++)
        if (g->values[v].constant) {
            size_t bytes;
            assert_true(hst__desc_bytes(&g->values[v].constant->desc, &bytes));
            assert_true(bytes == g->values[v].constant->bytes);
        }
}

/** Loads a copy that ends where its heap block ends. Memory stays in proportion. */
static hst_status load(const uint8_t *bytes, size_t size) {
    uint8_t *exact = malloc(size ? size : 1);
    meter m = {0};
    hst__onnx_file *file;
    hst_error err = {0};
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    hst__alloc_set_hook(count, &m);
    hst_status st = hst__onnx_open_memory(exact, size, &file, &err);
    hst__alloc_set_hook(NULL, NULL);
    /* what is alive at once; arrays that doubled, and sorting, come on top */
    size_t budget = 16 * size + (16u << 20);
    assert_true(m.largest <= budget && m.total <= 3 * budget);
    if (st) {
        assert_null(file);
        assert_int_equal(err.status, st);
        assert_true(*err.message && memchr(err.message, 0, sizeof err.message));
        assert_true(st == HST_E_FORMAT || st == HST_E_UNSUPPORTED || st == HST_E_LIMIT);
    } else {
        check_graph(file);
        hst__onnx_close(file);
    }
    free(exact);
    return st;
}

static hst__file_map read_model(int i) {
    hst__file_map map;
    hst_error err;
    assert_ok(hst__file_read(models[i], 1 << 20, &map, &err), &err);
    return map;
}

static void every_truncation(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        hst__file_map map = read_model(i);
        for (size_t size = 0; size < map.size; size++)
            load(map.data, size);
        assert_int_equal(load(map.data, map.size), HST_OK);
        hst__file_map_close(&map);
    }
}

/** xorshift64: Marsaglia, "Xorshift RNGs", 2003. */
static uint64_t next(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

static size_t below(uint64_t *seed, size_t n) { return n ? next(seed) % n : 0; }

/** One change in place, or a piece put in, taken out, or moved. */
static size_t mutate(uint8_t *p, size_t size, size_t room, uint64_t *seed) {
    static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x3a};
    size_t at = below(seed, size), n = below(seed, 24) + 1;
    switch (below(seed, 6)) {
    case 0:
        p[at] ^= (uint8_t)(1u << below(seed, 8));
        return size;
    case 1:
        p[at] = odd[below(seed, sizeof odd)];
        return size;
    case 2: /* a length that lies: up to ten bytes of one number */
        for (size_t k = 0; k < n && k < 10 && at + k < size; k++)
            p[at + k] = (uint8_t)(next(seed) | (k + 1 < n ? 0x80 : 0));
        return size;
    case 3: /* put in */
        if (size + n > room)
            return size;
        memmove(p + at + n, p + at, size - at);
        for (size_t k = 0; k < n; k++)
            p[at + k] = (uint8_t)next(seed);
        return size + n;
    case 4: /* take out */
        if (n > size - at)
            n = size - at;
        memmove(p + at, p + at + n, size - at - n);
        return size - n;
    default: { /* a piece from elsewhere */
        size_t from = below(seed, size);
        n *= 4;
        n = n > size - at ? size - at : n;
        n = n > size - from ? size - from : n;
        memmove(p + at, p + from, n);
        return size;
    }
    }
}

static void random_mutations(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        hst__file_map map = read_model(i);
        size_t room = map.size + 256;
        uint8_t *p = malloc(room);
        uint64_t seed = 0x9e3779b97f4a7c15u + (uint64_t)i;
        int fine = 0;
        assert_non_null(p);
        for (int k = 0; k < MUTATIONS; k++) {
            size_t size = map.size, changes = 1 + below(&seed, 4);
            memcpy(p, map.data, size);
            while (changes-- && size)
                size = mutate(p, size, room, &seed);
            fine += load(p, size) == HST_OK;
        }
        /* most changes are found out, and those in weights and names must not be */
        assert_true(fine > MUTATIONS / 100 && fine < MUTATIONS * 3 / 4);
        free(p);
        hst__file_map_close(&map);
    }
}

/** A model whose graph is an output "y" and copies of `piece`, each given a name of its
 * own where the piece has "####". */
static uint8_t *repeat(const char *piece, size_t piece_size, size_t copies,
                       size_t *size) {
    static const char output[] = "\x62\x03\x0a\x01y";
    size_t graph = piece_size * copies + 5, at = 0;
    uint8_t *p = malloc(graph + 32);
    assert_non_null(p);
    at = (size_t)snprintf((char *)p, 32, "\x08\x08\x42\x02\x10\x0d\x3a");
    for (size_t left = graph; left || at == 7; left >>= 7)
        p[at++] = (uint8_t)((left & 127) | (left >> 7 ? 128 : 0));
    memcpy(p + at, output, 5);
    at += 5;
    for (size_t i = 0; i < copies; i++, at += piece_size) {
        memcpy(p + at, piece, piece_size);
        char *name = memmem(p + at, piece_size, "####", 4);
        for (size_t k = 0, n = i; name && k < 4; k++, n /= 64)
            name[k] = (char)('0' + n % 64);
    }
    *size = at;
    return p;
}

static void small_pieces_of_large_objects(void **state) {
    (void)state;
    static const struct {
        const char *piece;
        size_t size;
        hst_status want;
    } pieces[] = {
#define PIECE(text, want) {text, sizeof text - 1, want}
        PIECE("\x0a\x00", HST_E_FORMAT), /* node without anything */
        PIECE("\x0a\x0a\x12\x04####\x22\x02Or", HST_E_LIMIT),
        PIECE("\x0a\x0a\x12\x02no\x22\x04####", HST_E_FORMAT),
        PIECE("\x2a\x0a\x10\x01\x42\x04####\x4a\x00",
              HST_E_FORMAT), /* weight of 0 bytes */
        PIECE("\x2a\x0c\x08\x00\x10\x01\x42\x04####\x4a\x00", HST_E_LIMIT),
        PIECE("\x5a\x00", HST_E_FORMAT),
        PIECE("\x5a\x0e\x0a\x04####\x12\x06\x0a\x04\x08\x01\x12\x00", HST_E_FORMAT),
        PIECE("\x62\x06\x0a\x04####", HST_E_LIMIT),
        PIECE("\x3a\x02\x01\x02", HST_E_FORMAT),
#undef PIECE
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t size;
        uint8_t *p = repeat(pieces[i].piece, pieces[i].size, 400000, &size);
        hst_status st = load(p, size);
        if (st != pieces[i].want)
            fail_msg("piece %zu gave %d", i, st);
        free(p);
    }
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    static const char *const files[] = {GOLDEN "/functions.onnx", GOLDEN "/typed.onnx",
                                        GOLDEN "/constants.onnx", GOLDEN "/external.onnx",
                                        GOLDEN "/attributes.onnx"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hst_status st = HST_E_NOMEM;
        for (size_t n = 1; st; n++) {
            meter m = {.fail_at = n};
            hst__onnx_file *file;
            hst_error err;
            hst__alloc_set_hook(count, &m);
            st = hst__onnx_open(files[i], &file, &err);
            hst__alloc_set_hook(NULL, NULL);
            if (st && st != HST_E_NOMEM)
                fail_msg("%s, allocation %zu: %d: %s", files[i], n, st, err.message);
            if (st)
                assert_true(m.calls >= n);
            else
                assert_true(m.calls < n && n > 5);
            hst__onnx_close(file);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(random_mutations),
        cmocka_unit_test(small_pieces_of_large_objects),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
