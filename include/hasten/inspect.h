/* What a model consists of. */
#ifndef HASTEN_INSPECT_H
#define HASTEN_INSPECT_H

#include "hasten/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How often an operator occurs in the file. */
typedef struct hst_op_count {
    const char *domain, *name; /**< domain "" is ONNX's own */
    size_t count;
} hst_op_count;

/** One constant of the file. Counts are of floating-point elements. */
typedef struct hst_weight_info {
    const char *name;
    hst_tensor_info tensor;
    size_t zeros;
    size_t subnormals; /**< below the smallest normal number: slow on many CPUs, and flushed
                            to zero by hasten */
    size_t nonfinite;  /**< infinities and NaNs */
} hst_weight_info;

/** Made by hst_model_inspect; texts belong to the model. */
typedef struct hst_inspection {
    hst_op_count *ops; /**< most frequent first */
    size_t n_ops;
    hst_weight_info *weights; /**< in the order of the file */
    size_t n_weights;
    size_t elements, zeros, subnormals, nonfinite; /**< sums over float weights */
} hst_inspection;

/** Reads every weight once. *out is the caller's. Errors: NOMEM. */
HST_API hst_status hst_model_inspect(const hst_model *model, hst_inspection **out,
                                     hst_error *err);
HST_API void hst_inspection_destroy(hst_inspection *inspection);

/** Writes the planned graph (after fusion) in Graphviz form; "-" is standard output.
 * Errors: ARG (not planned), IO. */
HST_API hst_status hst_session_write_dot(const hst_session *session, const char *path,
                                         hst_error *err);

#ifdef __cplusplus
}
#endif
#endif
