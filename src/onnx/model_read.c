/* ModelProto: versions, functions, the graph. */
#include "onnx/reader.h"

enum { IR_FIRST = 3, IR_LAST = 13 };
enum { BUDGET_TIMES = 16, BUDGET_FLOOR = 16 << 20 };

typedef struct model_parts {
    hst__span graph, producer, version;
    uint64_t ir_version;
    size_t graphs, functions;
} model_parts;

static hst_status read_parts(hst__reader *r, hst__span message, model_parts *p) {
    hst__wire w;
    hst__wire_field f;
    hst__wire_open(&w, &hst__model_message, message);
    while (hst__wire_next(&w, &f)) {
        switch (f.tag) {
        case HST__MODEL_IR_VERSION:
            p->ir_version = f.number;
            break;
        case HST__MODEL_PRODUCER_NAME:
            p->producer = f.bytes;
            break;
        case HST__MODEL_PRODUCER_VERSION:
            p->version = f.bytes;
            break;
        case HST__MODEL_GRAPH:
            p->graph = f.bytes;
            p->graphs++;
            break;
        case HST__MODEL_FUNCTIONS:
            p->functions++;
            break;
        default:
            break;
        }
    }
    return hst__wire_status(&w, r->err);
}

static hst_status check_parts(hst__reader *r, const model_parts *p) {
    if (p->graphs != 1)
        return hst__fail(r->err, HST_E_FORMAT, "this is no ONNX model: it has %s graph",
                         p->graphs ? "more than one" : "no");
    if (p->ir_version < IR_FIRST || p->ir_version > IR_LAST)
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "IR version %lld is not supported; %d to %d are. Export the "
                         "model anew, or convert it with onnx.version_converter",
                         (long long)p->ir_version, IR_FIRST, IR_LAST);
    return HST_OK;
}

/** "pytorch 2.1.0" */
static hst_status read_producer(hst__reader *r, const model_parts *p) {
    const hst__span space = {(const uint8_t *)" ", 1};
    const char *text;
    hst_status st = hst__reader_text(r, "", p->producer, &text);
    if (!st && *text && p->version.size)
        st = hst__reader_text(r, text, space, &text);
    return st ? st : hst__reader_text(r, text, p->version, &r->g->producer);
}

static hst_status read_all(hst__reader *r, hst__span bytes) {
    model_parts parts = {0};
    const hst__frame top = {.prefix = ""};
    hst_status st = read_parts(r, bytes, &parts);
    if (!st)
        st = check_parts(r, &parts);
    if (st == HST_E_FORMAT) {
        const char *what = hst__onnx_sniff(bytes);
        if (what)
            hst__fail(r->err, st, "this is no ONNX model but %s", what);
    }
    if (!st)
        st = hst__reader_opsets(r, &hst__model_message, HST__MODEL_OPSET_IMPORT, bytes,
                                &r->opsets);
    if (st)
        return st;
    r->g->ir_version = (int)parts.ir_version;
    r->g->opset = hst__reader_opset(r, &top, (hst__span){0});
    st = read_producer(r, &parts);
    if (!st)
        st = hst__reader_functions(r, bytes, parts.functions);
    return st ? st : hst__reader_graph(r, parts.graph);
}

static hst_status read_model(hst__onnx_file *file, hst__span bytes,
                             const hst__tensor_source *source, hst_error *err) {
    hst__reader r = {.file = file, .source = *source, .err = err};
    file->bytes = bytes.size;
    file->graph = r.g = hst__graph_create(err);
    if (!r.g)
        return HST_E_NOMEM;
    if (!hst__mul(bytes.size, BUDGET_TIMES, &r.budget) ||
        !hst__add(r.budget, BUDGET_FLOOR, &r.budget))
        r.budget = SIZE_MAX;
    hst__names_init(&r.names);
    hst_status st = read_all(&r, bytes);
    hst__names_fini(&r.names);
    return st;
}

static hst_status open_file(hst__onnx_file *file, const char *path, hst_error *err) {
    hst_status st = hst__file_map_open(path, &file->map, err);
    if (!st)
        st = hst__external_init(&file->external, path, err);
    if (st)
        return st;
    const hst__tensor_source source = {.borrow = true,
                                       .mapped = file->map.mapped,
                                       .find = hst__external_find,
                                       .user = &file->external};
    st = read_model(file, (hst__span){file->map.data, file->map.size}, &source, err);
    if (st)
        hst__fail_in(err, st, "'%.300s'", path);
    return st;
}

hst_status hst__onnx_open(const char *path, hst__onnx_file **out, hst_error *err) {
    *out = NULL;
    hst__onnx_file *file = hst__alloc(sizeof *file);
    if (!file)
        return hst__fail_nomem(err, sizeof *file);
    hst_status st = open_file(file, path, err);
    if (st)
        hst__onnx_close(file);
    else
        *out = file;
    return st;
}

hst_status hst__onnx_open_memory(const void *bytes, size_t size, hst__onnx_file **out,
                                 hst_error *err) {
    const hst__tensor_source source = {.borrow = true};
    *out = NULL;
    hst__onnx_file *file = hst__alloc(sizeof *file);
    if (!file)
        return hst__fail_nomem(err, sizeof *file);
    hst_status st = read_model(file, (hst__span){bytes, size}, &source, err);
    if (st)
        hst__onnx_close(file);
    else
        *out = file;
    return st;
}

void hst__onnx_close(hst__onnx_file *file) {
    if (!file)
        return;
    hst__graph_destroy(file->graph);
    hst__external_fini(&file->external);
    hst__file_map_close(&file->map);
    hst__free(file);
}
