/* ModelProto: versions, then the graph. */
#include <string.h>

#include "onnx/reader.h"
#include "onnx/schema.h"

enum { IR_FIRST = 3, IR_LAST = 13, OPSET_FIRST = 7, OPSET_LAST = 23 };

const char *hst__reader_text(hst__reader *r, hst__span text) {
    return text.size
               ? hst__arena_strndup(&r->g->arena, (const char *)text.data, text.size)
               : "";
}

static bool same_domain(hst__span a, hst__span b) {
    static const char standard[] = "ai.onnx";
    if (a.size == sizeof standard - 1 && memcmp(a.data, standard, a.size) == 0)
        a.size = 0;
    if (b.size == sizeof standard - 1 && memcmp(b.data, standard, b.size) == 0)
        b.size = 0;
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

int hst__reader_opset(const hst__reader *r, hst__span domain) {
    for (int i = 0; i < r->n_opsets; i++)
        if (same_domain(r->opsets[i].domain, domain))
            return r->opsets[i].version;
    return 0;
}

typedef struct model_parts {
    hst__span graph, producer, version;
    uint64_t ir_version;
    bool has_graph, functions;
} model_parts;

static hst_status read_opset(hst__reader *r, hst__span message) {
    hst__wire w;
    hst__wire_field f;
    hst__opset o = {0};
    hst__wire_open(&w, message);
    while (hst__wire_next(&w, &f)) {
        if (f.tag == OPSET_DOMAIN)
            o.domain = f.bytes;
        else if (f.tag == OPSET_VERSION)
            o.version = f.number > INT32_MAX ? INT32_MAX : (int)f.number;
    }
    if (w.failed)
        return hst__fail(r->err, HST_E_FORMAT, "an opset import is not valid protobuf");
    if (r->n_opsets == HST__OPSETS_MAX)
        return hst__fail(r->err, HST_E_LIMIT, "the model imports more than %d opsets",
                         HST__OPSETS_MAX);
    r->opsets[r->n_opsets++] = o;
    return HST_OK;
}

static hst_status read_parts(hst__reader *r, hst__span message, model_parts *p) {
    hst__wire w;
    hst__wire_field f;
    hst_status st = HST_OK;
    hst__wire_open(&w, message);
    while (!st && hst__wire_next(&w, &f)) {
        switch (f.tag) {
        case MODEL_IR_VERSION:
            p->ir_version = f.number;
            break;
        case MODEL_PRODUCER_NAME:
            p->producer = f.bytes;
            break;
        case MODEL_PRODUCER_VERSION:
            p->version = f.bytes;
            break;
        case MODEL_GRAPH:
            p->graph = f.bytes;
            p->has_graph = f.type == PB_WT_STRING;
            break;
        case MODEL_OPSET_IMPORT:
            st = read_opset(r, f.bytes);
            break;
        case MODEL_FUNCTIONS:
            p->functions = true;
            break;
        default:
            break;
        }
    }
    if (!st && w.failed)
        st = hst__fail(r->err, HST_E_FORMAT,
                       "this is not an ONNX file: byte %zu is not valid protobuf",
                       message.size - w.stream.bytes_left);
    return st;
}

static hst_status check_versions(hst__reader *r, const model_parts *p) {
    int opset = hst__reader_opset(r, (hst__span){0});
    if (!p->has_graph)
        return hst__fail(r->err, HST_E_FORMAT,
                         "this is not an ONNX model: it has no graph");
    if (p->ir_version < IR_FIRST || p->ir_version > IR_LAST)
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "IR version %llu is not supported; %d to %d are",
                         (unsigned long long)p->ir_version, IR_FIRST, IR_LAST);
    if (opset != 0 && (opset < OPSET_FIRST || opset > OPSET_LAST))
        return hst__fail(
            r->err, HST_E_UNSUPPORTED,
            "opset %d is not supported; %d to %d are. onnx.version_converter "
            "can convert the model",
            opset, OPSET_FIRST, OPSET_LAST);
    if (p->functions)
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "functions local to the model are not supported: inline them "
                         "(onnx.inliner.inline_local_functions)");
    return HST_OK;
}

static hst_status read_producer(hst__reader *r, const model_parts *p) {
    const char *name = hst__reader_text(r, p->producer);
    const char *version = hst__reader_text(r, p->version);
    if (!name || !version)
        return hst__fail_nomem(r->err, p->producer.size);
    size_t size = strlen(name) + strlen(version) + 2;
    char *both = hst__arena_alloc(&r->g->arena, size);
    if (!both)
        return hst__fail_nomem(r->err, size);
    strcpy(both, name);
    if (*name && *version)
        strcat(both, " ");
    r->g->producer = strcat(both, version);
    return HST_OK;
}

static hst_status read_model(hst__onnx_file *file, hst__span bytes,
                             const hst__tensor_source *source, hst_error *err) {
    model_parts parts = {0};
    hst__reader r = {.file = file, .source = *source, .err = err};
    file->bytes = bytes.size;
    file->graph = r.g = r.names.g = hst__graph_create(err);
    if (!r.g)
        return HST_E_NOMEM;
    hst_status st = read_parts(&r, bytes, &parts);
    if (!st)
        st = check_versions(&r, &parts);
    if (!st) {
        r.g->ir_version = (int)parts.ir_version;
        r.g->opset = hst__reader_opset(&r, (hst__span){0});
        st = read_producer(&r, &parts);
    }
    if (!st)
        st = hst__reader_graph(&r, parts.graph);
    hst__names_fini(&r.names);
    return st;
}

hst_status hst__onnx_open(const char *path, hst__onnx_file **out, hst_error *err) {
    *out = NULL;
    hst__onnx_file *file = hst__alloc(sizeof *file);
    if (!file)
        return hst__fail_nomem(err, sizeof *file);
    hst_status st = hst__file_map_open(path, &file->map, err);
    if (!st)
        st = hst__external_init(&file->external, path, err);
    if (!st) {
        hst__tensor_source source = {
            .borrow = true, .mapped = file->map.mapped, .external = &file->external};
        st = read_model(file, (hst__span){file->map.data, file->map.size}, &source, err);
        if (st)
            hst__fail_in(err, st, "'%.300s'", path);
    }
    if (st) {
        hst__onnx_close(file);
        return st;
    }
    *out = file;
    return HST_OK;
}

hst_status hst__onnx_open_memory(const void *bytes, size_t size, hst__onnx_file **out,
                                 hst_error *err) {
    *out = NULL;
    hst__onnx_file *file = hst__alloc(sizeof *file);
    if (!file)
        return hst__fail_nomem(err, sizeof *file);
    hst__tensor_source source = {.borrow = true};
    hst_status st = read_model(file, (hst__span){bytes, size}, &source, err);
    if (st) {
        hst__onnx_close(file);
        return st;
    }
    *out = file;
    return HST_OK;
}

void hst__onnx_close(hst__onnx_file *file) {
    if (!file)
        return;
    hst__graph_destroy(file->graph);
    hst__external_fini(&file->external);
    hst__file_map_close(&file->map);
    hst__free(file);
}
