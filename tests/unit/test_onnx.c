/* The ONNX reader against models whose contents another implementation wrote down
 * (tools/golden/onnx_corpus.py), and what no file can show: maps, links, memory. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "onnx/onnx.h"
#include "support/test.h"

#define GOLDEN HASTEN_SOURCE_DIR "/tests/golden/onnx"
#define MODELS HASTEN_SOURCE_DIR "/../shared/models"

/* A graph as text, in the form of the corpus. */

typedef struct text {
    char at[16384];
    size_t size;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->size, sizeof t->at - t->size, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < sizeof t->at - t->size);
    t->size += (size_t)n;
}

static uint32_t crc32_of(const unsigned char *p, size_t n) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static void put_tensor(text *t, const hst_tensor *tensor) {
    char shape[HST__DESC_TEXT];
    const unsigned char *p = hst_tensor_const_data(tensor);
    put(t, "%s ", hst__desc_format(&tensor->desc, shape, sizeof shape));
    if (tensor->bytes > 64)
        put(t, "crc %08x", crc32_of(p, tensor->bytes));
    for (size_t i = 0; tensor->bytes <= 64 && i < tensor->bytes; i++)
        put(t, "%02x", p[i]);
}

static void put_bits(text *t, float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    put(t, "0x%08x", bits);
}

static void put_attr(text *t, const hst__attr *a) {
    put(t, " %s=", a->name);
    switch (a->type) {
    case HST__ATTR_INT:
        put(t, "%lld", (long long)a->i);
        break;
    case HST__ATTR_FLOAT:
        put_bits(t, a->f);
        break;
    case HST__ATTR_STRING:
    case HST__ATTR_STRINGS:
        put(t, "%s'%s'", a->type == HST__ATTR_STRINGS ? "strings " : "", a->s);
        break;
    case HST__ATTR_TENSOR:
        put_tensor(t, a->tensor);
        break;
    case HST__ATTR_INTS:
    case HST__ATTR_FLOATS:
        put(t, "[");
        for (size_t i = 0; i < a->count; i++) {
            put(t, "%s", i ? "," : "");
            if (a->type == HST__ATTR_INTS)
                put(t, "%lld", (long long)a->ints[i]);
            else
                put_bits(t, a->floats[i]);
        }
        put(t, "]");
        break;
    case HST__ATTR_OTHER:
        put(t, "other");
        break;
    }
}

static void put_value(text *t, const char *kind, const hst__value *v,
                      const hst__dim_names *dims) {
    put(t, "%s %s %s ", kind, v->name, hst_dtype_name(v->desc.dtype));
    if (v->desc.rank < 0) {
        put(t, "no shape\n");
        return;
    }
    for (int i = 0; i < v->desc.rank; i++)
        if (v->desc.dims[i] >= 0)
            put(t, "%s%lld", i ? "," : "[", (long long)v->desc.dims[i]);
        else
            put(t, "%s%s", i ? "," : "[", dims->names[i] ? dims->names[i] : "?");
    put(t, v->desc.rank ? "]\n" : "[]\n");
}

static int by_attr_name(const void *a, const void *b) {
    return strcmp(((const hst__attr *)a)->name, ((const hst__attr *)b)->name);
}

static int by_value_name(const void *a, const void *b) {
    return strcmp((*(const hst__value *const *)a)->name,
                  (*(const hst__value *const *)b)->name);
}

static void put_ends(text *t, const hst__graph *g, const hst__value_id *ends, int n) {
    put(t, "(");
    for (int i = 0; i < n; i++)
        put(t, "%s%s", i ? "," : "",
            ends[i] == HST__NONE ? "-" : g->values[ends[i]].name);
    put(t, ")");
}

static void put_graph(text *t, const hst__onnx_file *file) {
    const hst__graph *g = file->graph;
    const hst__value *constants[256];
    size_t n = 0;
    put(t, "model '%s' by '%s' ir %d opset %d\n", g->name, g->producer, g->ir_version,
        g->opset);
    for (int i = 0; i < g->n_inputs; i++)
        put_value(t, "input", &g->values[g->inputs[i]], &file->input_dims[i]);
    for (int i = 0; i < g->n_outputs; i++)
        put_value(t, "output", &g->values[g->outputs[i]], &file->output_dims[i]);
    for (int v = 0; v < g->n_values; v++)
        if (g->values[v].constant && *g->values[v].name && n < 256)
            constants[n++] = &g->values[v];
    qsort(constants, n, sizeof *constants, by_value_name);
    for (size_t i = 0; i < n; i++) {
        put(t, "constant %s ", constants[i]->name);
        put_tensor(t, constants[i]->constant);
        put(t, "\n");
    }
    for (int i = 0; i < g->n_nodes; i++) {
        hst__node *node = g->nodes[i];
        put(t, "node %s '%s' domain '%s' opset %d ", node->op_type, node->name,
            node->domain, node->opset);
        put_ends(t, g, node->in, node->n_in);
        put(t, " -> ");
        put_ends(t, g, node->out, node->n_out);
        if (node->n_attr)
            qsort(node->attrs, (size_t)node->n_attr, sizeof *node->attrs, by_attr_name);
        for (int k = 0; k < node->n_attr; k++)
            put_attr(t, &node->attrs[k]);
        put(t, "\n");
    }
}

/* The corpus. */

static void read_text(const char *path, char *out, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
    if (n < 0)
        fail_msg("%s cannot be read", path);
    out[n] = 0;
    close(fd);
}

/** "FORMAT" -> HST_E_FORMAT */
static hst_status status_named(const char *name) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "HST_E_%s", name);
#define NAMED(constant, value, meaning)                                                  \
    if (strcmp(symbol, #constant) == 0)                                                  \
        return constant;
    HST_STATUS_LIST(NAMED)
#undef NAMED
    fail_msg("no status %s", name);
    return HST_E_INTERNAL;
}

/** "error STATUS", then a piece of the message on each line. */
static void check_error(const char *name, char *want, hst_status st,
                        const hst_error *err) {
    char *line = strtok(want + strlen("error "), "\n");
    if (st != status_named(line) || err->status != st)
        fail_msg("%s: wanted %s, got %d: %s", name, line, st, st ? err->message : "");
    while ((line = strtok(NULL, "\n")))
        if (!strstr(err->message, line))
            fail_msg("%s: no '%s' in: %s", name, line, err->message);
}

static void check_model(const char *name) {
    static char want[16384];
    static text got;
    char path[1024];
    hst__onnx_file *file;
    hst_error err = {0};
    snprintf(path, sizeof path, GOLDEN "/%s.txt", name);
    read_text(path, want, sizeof want);
    snprintf(path, sizeof path, GOLDEN "/%s.onnx", name);
    hst_status st = hst__onnx_open(path, &file, &err);
    if (strncmp(want, "error ", 6) == 0) {
        assert_null(file);
        check_error(name, want, st, &err);
        return;
    }
    assert_ok(st, &err);
    got.size = 0;
    put_graph(&got, file);
    if (strcmp(got.at, want) != 0)
        fail_msg("%s: wanted\n%s\ngot\n%s", name, want, got.at);
    hst__onnx_close(file);
}

static void corpus_reads_as_written_down(void **state) {
    (void)state;
    DIR *folder = opendir(GOLDEN);
    struct dirent *entry;
    int count = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".onnx") != 0)
            continue;
        *end = 0;
        check_model(entry->d_name);
        count++;
    }
    closedir(folder);
    assert_true(count >= 88);
}

static void memory_form_refuses_external_data(void **state) {
    (void)state;
    hst__file_map map;
    hst__onnx_file *file;
    hst_error err;
    assert_ok(hst__file_read(GOLDEN "/typed.onnx", 1 << 20, &map, &err), &err);
    assert_ok(hst__onnx_open_memory(map.data, map.size, &file, &err), &err);
    assert_int_equal(file->graph->n_nodes, 1);
    hst__onnx_close(file);
    hst__file_map_close(&map);
    assert_ok(hst__file_read(GOLDEN "/external.onnx", 1 << 20, &map, &err), &err);
    assert_int_equal(hst__onnx_open_memory(map.data, map.size, &file, &err),
                     HST_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "another file"));
    hst__file_map_close(&map);
    assert_int_equal(hst__onnx_open_memory(NULL, 0, &file, &err), HST_E_FORMAT);
    assert_int_equal(hst__onnx_open(GOLDEN "/no_such.onnx", &file, &err), HST_E_IO);
    assert_int_equal(hst__onnx_open(GOLDEN, &file, NULL), HST_E_IO);
}

/* Files made here. */

typedef struct folder {
    char path[64];
} folder;

static folder make_folder(void) {
    folder f = {"/tmp/hasten-onnx-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static const char *inside(const folder *f, const char *name) {
    static char path[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", f->path, name);
    return path[next];
}

static void copy(const char *from, const char *to, size_t padding) {
    hst__file_map map;
    hst_error err;
    assert_ok(hst__file_read(from, 1 << 20, &map, &err), &err);
    FILE *out = fopen(to, "we");
    assert_non_null(out);
    assert_int_equal(fwrite(map.data, 1, map.size, out), map.size);
    if (padding) { /* field 100, which no reader knows: 3 bytes of size */
        const unsigned char head[] = {0xa2, 0x06, (padding & 127) | 128,
                                      (padding >> 7 & 127) | 128, padding >> 14 & 127};
        assert_int_equal(fwrite(head, 1, sizeof head, out), sizeof head);
        for (size_t i = 0; i < padding; i++)
            fputc(0xff, out);
    }
    assert_int_equal(fclose(out), 0);
    hst__file_map_close(&map);
}

static const hst_tensor *weight(const hst__onnx_file *file, const char *name) {
    for (int v = 0; v < file->graph->n_values; v++)
        if (strcmp(file->graph->values[v].name, name) == 0)
            return file->graph->values[v].constant;
    fail_msg("no weight %s", name);
    return NULL;
}

static bool lies_in(const hst_tensor *t, const hst__file_map *map) {
    const uint8_t *p = t->data;
    return p >= map->data && p + t->bytes <= map->data + map->size;
}

static void large_weights_stay_in_the_map(void **state) {
    (void)state;
    folder f = make_folder();
    hst__onnx_file *file;
    hst_error err;
    copy(GOLDEN "/large.onnx", inside(&f, "m.onnx"), 400000);
    assert_ok(hst__onnx_open(inside(&f, "m.onnx"), &file, &err), &err);
    assert_true(file->map.mapped);
    assert_true(file->bytes > 400000);
    const char *const names[] = {"large_raw", "large_typed", "large_f16"};
    for (int i = 0; i < 3; i++) {
        const hst_tensor *t = weight(file, names[i]);
        assert_true(t->mapped && !t->owned && lies_in(t, &file->map));
        uint32_t before = crc32_of(t->data, t->bytes);
        hst__file_map_drop(file->map.data, file->map.size);
        assert_int_equal(crc32_of(t->data, t->bytes), before);
    }
    hst__onnx_close(file);
    unlink(inside(&f, "m.onnx"));

    /* a small file is a heap copy, where nothing may be dropped */
    assert_ok(hst__onnx_open(GOLDEN "/large.onnx", &file, &err), &err);
    assert_false(weight(file, "large_raw")->mapped);
    assert_true(lies_in(weight(file, "large_raw"), &file->map));
    hst__onnx_close(file);
    assert_ok(hst__onnx_open(GOLDEN "/typed.onnx", &file, &err), &err);
    const hst_tensor *small = weight(file, "w11");
    assert_true(small->owned && (uintptr_t)small->data % HST__ALIGN == 0);
    hst__onnx_close(file);
    rmdir(f.path);
}

static void external_data_may_not_be_linked_away(void **state) {
    (void)state;
    folder f = make_folder(), other = make_folder();
    hst__onnx_file *file;
    hst_error err;
    char cwd[1024];
    copy(GOLDEN "/external.onnx", inside(&f, "m.onnx"), 0);
    copy(GOLDEN "/external.bin", inside(&other, "blob"), 0);
    assert_int_equal(symlink(inside(&other, "blob"), inside(&f, "external.bin")), 0);
    assert_int_equal(hst__onnx_open(inside(&f, "m.onnx"), &file, &err), HST_E_FORMAT);
    assert_non_null(strstr(err.message, "link out"));

    /* a cache of downloads: both are links into the same folder */
    assert_int_equal(rename(inside(&f, "m.onnx"), inside(&other, "model")), 0);
    assert_int_equal(symlink(inside(&other, "model"), inside(&f, "m.onnx")), 0);
    assert_ok(hst__onnx_open(inside(&f, "m.onnx"), &file, &err), &err);
    assert_int_equal(crc32_of(weight(file, "large")->data, 8000),
                     crc32_of(file->external.files[0].map.data + 3, 8000));
    assert_int_equal(file->external.count, 2); /* two spellings of one file */
    hst__onnx_close(file);

    /* a path without a folder */
    assert_non_null(getcwd(cwd, sizeof cwd));
    assert_int_equal(chdir(f.path), 0);
    assert_ok(hst__onnx_open("m.onnx", &file, &err), &err);
    hst__onnx_close(file);
    assert_int_equal(chdir(cwd), 0);
    unlink(inside(&f, "m.onnx"));
    unlink(inside(&f, "external.bin"));
    unlink(inside(&other, "model"));
    unlink(inside(&other, "blob"));
    rmdir(f.path);
    rmdir(other.path);
}

/** Thousands of names, found again each. */
static void many_names(void **state) {
    (void)state;
    static unsigned char graph[400000];
    hst__onnx_file *file;
    hst_error err;
    size_t n = 0;
    enum { NODES = 5000 };
    for (int i = 0; i < NODES; i++) { /* 1: node {1: input, 2: output, 4: "Relu"} */
        char in[16], out[16];
        int a = snprintf(in, sizeof in, "v%d", i);
        int b = snprintf(out, sizeof out, "v%d", i + 1);
        n += (size_t)snprintf((char *)graph + n, sizeof graph - n,
                              "\x0a%c\x0a%c%s\x12%c%s\x22\x04Relu", 10 + a + b, a, in, b,
                              out);
    }
    char last[16];
    int z = snprintf(last, sizeof last, "v%d", NODES);
    n += (size_t)snprintf((char *)graph + n, sizeof graph - n,
                          "\x5a\x0a\x0a\x02v0\x12\x04\x0a\x02\x08\x01\x62%c\x0a%c%s",
                          2 + z, z, last);
    static unsigned char model[400100];
    size_t m = (size_t)snprintf(
        (char *)model, sizeof model, "\x08\x08\x42\x02\x10\x0d\x3a%c%c%c",
        (int)((n & 127) | 128), (int)((n >> 7 & 127) | 128), (int)(n >> 14));
    memcpy(model + m, graph, n);
    assert_ok(hst__onnx_open_memory(model, m + n, &file, &err), &err);
    assert_int_equal(file->graph->n_nodes, NODES);
    assert_int_equal(file->graph->n_values, NODES + 1);
    hst__onnx_close(file);
}

static void real_models_load(void **state) {
    (void)state;
    DIR *dir = opendir(MODELS);
    struct dirent *entry;
    int count = 0;
    if (!dir) {
        print_message("shared/models is absent\n");
        skip();
    }
    while ((entry = readdir(dir))) {
        const char *end = strrchr(entry->d_name, '.');
        char path[1024];
        hst__onnx_file *file;
        hst_error err;
        if (!end || strcmp(end, ".onnx") != 0)
            continue;
        snprintf(path, sizeof path, MODELS "/%s", entry->d_name);
        assert_ok(hst__onnx_open(path, &file, &err), &err);
        assert_true(file->graph->n_nodes > 5 && file->graph->n_owned > 5);
        assert_int_equal(file->graph->n_inputs, 1);
        hst__onnx_close(file);
        count++;
    }
    closedir(dir);
    assert_true(count > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_reads_as_written_down),
        cmocka_unit_test(memory_form_refuses_external_data),
        cmocka_unit_test(large_weights_stay_in_the_map),
        cmocka_unit_test(external_data_may_not_be_linked_away),
        cmocka_unit_test(many_names),
        cmocka_unit_test(real_models_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
