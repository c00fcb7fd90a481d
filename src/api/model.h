/* What stands behind hst_model. */
#ifndef HST_API_MODEL_H
#define HST_API_MODEL_H

#include "hasten/model.h"
#include "onnx/onnx.h"
#include "plan/cache.h"

struct hst_model {
    hst__onnx_file *file; /**< the mapped file; owns the graph */
    const hst__graph *graph;
    hst__plan_cache plans;
    uint64_t identity[2]; /**< of the files */
    bool from_files;
};

#endif
