#include "hasten/pipeline.h"

#include "api/model.h"
#include "pipeline/pipeline.h"

static hst_value_info *collect(const hst_model *model, size_t n,
                               hst_status (*get)(const hst_model *, size_t,
                                                 hst_value_info *, hst_error *)) {
    hst_value_info *list = hst__alloc(n * sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        get(model, i, &list[i], NULL);
    return list;
}

hst_status hst_pipeline_create(const char *manifest_path, const char *model_path,
                               const hst_model *model,
                               const hst_pipeline_options *options, hst_pipeline **out,
                               hst_error *err) {
    size_t n_in = (size_t)model->graph->n_inputs, n_out = (size_t)model->graph->n_outputs;
    hst_value_info *inputs = collect(model, n_in, hst_model_get_input);
    hst_value_info *outputs = collect(model, n_out, hst_model_get_output);
    hst_status st;
    *out = NULL;
    if (inputs && outputs)
        st = hst__pipeline_create(manifest_path, model_path, inputs, n_in, outputs, n_out,
                                  options, out, err);
    else
        st = hst__fail_nomem(err, (n_in + n_out) * sizeof *inputs);
    hst__free(inputs);
    hst__free(outputs);
    return st;
}
