#include "api/model.h"

#include "passes/resolve.h"
#include "plan/store_key.h"

static hst_status adopt(hst__onnx_file *file, hst_model **out, hst_error *err) {
    hst_model *m = hst__alloc(sizeof *m);
    if (!m) {
        hst__onnx_close(file);
        return hst__fail_nomem(err, sizeof *m);
    }
    m->file = file;
    m->graph = file->graph;
    hst__plan_cache_init(&m->plans);
    *out = m;
    return HST_OK;
}

static hst_status identify(hst_model *m, hst_error *err) {
    const hst__external *e = &m->file->external;
    size_t n = (size_t)e->count + 1;
    hst__file_identity *files = hst__alloc(n * sizeof *files);
    if (!files)
        return hst__fail_nomem(err, n * sizeof *files);
    files[0] = m->file->map.identity;
    for (int i = 0; i < e->count; i++)
        files[i + 1] = e->files[i].map.identity;
    hst__store_identity(files, n, m->identity);
    m->from_files = true;
    hst__free(files);
    return HST_OK;
}

hst_status hst_model_load_file(const char *path, hst_model **out, hst_error *err) {
    hst__onnx_file *file;
    *out = NULL;
    hst_status st = hst__onnx_open(path, &file, err);
    if (!st)
        st = adopt(file, out, err);
    if (!st)
        st = identify(*out, err);
    if (st) {
        hst_model_destroy(*out);
        *out = NULL;
    }
    return st;
}

hst_status hst_model_load_memory(const void *bytes, size_t size, hst_model **out,
                                 hst_error *err) {
    hst__onnx_file *file;
    *out = NULL;
    hst_status st = hst__onnx_open_memory(bytes, size, &file, err);
    return st ? st : adopt(file, out, err);
}

hst_status hst_model_check(const hst_model *model, hst_error *err) {
    return hst__resolve_check(model->graph, err);
}

void hst_model_destroy(hst_model *model) {
    if (!model)
        return;
    hst__plan_cache_fini(&model->plans);
    hst__onnx_close(model->file);
    hst__free(model);
}

void hst_model_get_info(const hst_model *model, hst_model_info *out) {
    const hst__graph *g = model->graph;
    *out = (hst_model_info){.name = g->name,
                            .producer = g->producer,
                            .ir_version = g->ir_version,
                            .opset = g->opset,
                            .inputs = (size_t)g->n_inputs,
                            .outputs = (size_t)g->n_outputs,
                            .nodes = (size_t)g->n_nodes,
                            .file_bytes = model->file->bytes};
    for (int v = 0; v < g->n_values; v++)
        if (g->values[v].constant) {
            out->parameters += hst_tensor_count(g->values[v].constant);
            out->parameter_bytes += g->values[v].constant->bytes;
        }
}

static void describe(const hst__value *v, const hst__dim_names *dims,
                     hst_value_info *out) {
    *out = (hst_value_info){.name = v->name, .tensor = v->desc};
    for (int i = 0; i < HST_MAX_RANK; i++)
        out->dim_names[i] = dims->names[i];
}

hst_status hst_model_get_input(const hst_model *model, size_t index, hst_value_info *out,
                               hst_error *err) {
    const hst__graph *g = model->graph;
    if (index >= (size_t)g->n_inputs)
        return hst__fail(err, HST_E_ARG, "the model has %d inputs, not %zu", g->n_inputs,
                         index + 1);
    describe(&g->values[g->inputs[index]], &model->file->input_dims[index], out);
    return HST_OK;
}

hst_status hst_model_get_output(const hst_model *model, size_t index, hst_value_info *out,
                                hst_error *err) {
    const hst__graph *g = model->graph;
    if (index >= (size_t)g->n_outputs)
        return hst__fail(err, HST_E_ARG, "the model has %d outputs, not %zu",
                         g->n_outputs, index + 1);
    describe(&g->values[g->outputs[index]], &model->file->output_dims[index], out);
    return HST_OK;
}
