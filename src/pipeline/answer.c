/* What a caller asks a pipeline. */
#include "base/status.h"
#include "pipeline/pipeline.h"

const char *hst_stage_name(hst_stage stage) {
    switch (stage) {
#define STAGE_CASE(name, text)                                                           \
    case name:                                                                           \
        return text;
        HST_STAGE_LIST(STAGE_CASE)
#undef STAGE_CASE
    default:
        return "?";
    }
}

const char *hst_pipeline_describe(const hst_pipeline *pipeline) {
    return pipeline->describe;
}
const char *hst_pipeline_note(const hst_pipeline *pipeline) { return pipeline->note; }
const hst_tensor *hst_pipeline_input(const hst_pipeline *pipeline) {
    return pipeline->input;
}
size_t hst_pipeline_input_index(const hst_pipeline *pipeline) {
    return pipeline->input_index;
}
hst_task hst_pipeline_task(const hst_pipeline *pipeline) { return pipeline->m.task; }

size_t hst_pipeline_class_count(const hst_pipeline *pipeline) {
    return (size_t)pipeline->n_classes;
}

hst_status hst_pipeline_get_class(const hst_pipeline *pipeline, size_t index,
                                  hst_class *out, hst_error *err) {
    if (index >= (size_t)pipeline->n_classes)
        return hst__fail(err, HST_E_ARG, "the answer has %d classes, not %zu",
                         pipeline->n_classes, index + 1);
    *out = pipeline->classes[index];
    return HST_OK;
}

size_t hst_pipeline_detection_count(const hst_pipeline *pipeline) {
    return (size_t)pipeline->n_detections;
}

hst_status hst_pipeline_get_detection(const hst_pipeline *pipeline, size_t index,
                                      hst_detection *out, hst_error *err) {
    if (index >= (size_t)pipeline->n_detections)
        return hst__fail(err, HST_E_ARG, "the answer has %d detections, not %zu",
                         pipeline->n_detections, index + 1);
    *out = pipeline->detections[index];
    return HST_OK;
}
