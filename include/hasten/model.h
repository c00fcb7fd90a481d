/* A model: a network read from an ONNX file. Immutable after loading; any number of
 * sessions in any number of threads may share one. */
#ifndef HASTEN_MODEL_H
#define HASTEN_MODEL_H

#include "hasten/cpu.h"
#include "hasten/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hst_model hst_model;

/** Name and shape of a graph input or output. Texts belong to the model. */
typedef struct hst_value_info {
    const char *name;
    hst_tensor_info tensor; /**< a dimension of -1 is free; rank -1: not declared */
    const char *dim_names[HST_MAX_RANK]; /**< of free dimensions; NULL where unnamed */
} hst_value_info;

/** Where the model came from. Texts belong to the model. */
typedef struct hst_model_info {
    const char *name, *producer;
    int ir_version, opset;
    size_t inputs, outputs, nodes;
    size_t file_bytes;
    size_t parameters;      /**< elements of all weights */
    size_t parameter_bytes; /**< as stored in the file */
} hst_model_info;

/** Loads an ONNX file (opset 7 to 28, IR 3 to 13). Weights stay where the file is mapped:
 * the file must not be changed while the model lives. *out is the caller's.
 * A model that cannot be run can be loaded and inspected all the same: see
 * hst_model_check. Errors: IO, FORMAT, UNSUPPORTED (of the file as a whole), LIMIT,
 * NOMEM. */
HST_API hst_status hst_model_load_file(const char *path, hst_model **out, hst_error *err);
/** Loads from memory, which must outlive the model. External data files are refused. */
HST_API hst_status hst_model_load_memory(const void *bytes, size_t size, hst_model **out,
                                         hst_error *err);
/** Whether each node by itself can be run; a session does it first of all. Errors:
 * UNSUPPORTED or FORMAT; the message lists every node that cannot. */
HST_API hst_status hst_model_check(const hst_model *model, hst_error *err);
/** All sessions of the model must be gone. */
HST_API void hst_model_destroy(hst_model *model);

HST_API void hst_model_get_info(const hst_model *model, hst_model_info *out);
/** index < inputs or outputs of hst_model_get_info; else ARG. */
HST_API hst_status hst_model_get_input(const hst_model *model, size_t index,
                                       hst_value_info *out, hst_error *err);
HST_API hst_status hst_model_get_output(const hst_model *model, size_t index,
                                        hst_value_info *out, hst_error *err);

#ifdef __cplusplus
}
#endif
#endif
