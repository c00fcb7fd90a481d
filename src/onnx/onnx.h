/* ONNX files -> graphs. */
#ifndef HST_ONNX_ONNX_H
#define HST_ONNX_ONNX_H

#include "base/file_map.h"
#include "graph/graph.h"
#include "onnx/external.h"

/** Names of the free dimensions of a graph input or output; NULL where unnamed. */
typedef struct hst__dim_names {
    const char *names[HST_MAX_RANK];
} hst__dim_names;

/** A model file: the graph and the maps that its weights lie in. */
typedef struct hst__onnx_file {
    hst__graph *graph;
    hst__dim_names *input_dims, *output_dims; /**< in the graph's arena */
    hst__file_map map;
    hst__external external;
    size_t bytes; /**< size of the model file */
} hst__onnx_file;

/** Reads a model: IR 3 to 13, opset 7 to 28 of the ONNX domain. The graph is sorted,
 * every value it reads is made somewhere; whether its operators are known is not looked
 * at. Large weights stay in the mapped file. Memory taken is bounded by 16 times the size
 * of the file plus 16 MB, time by about the same. *out is the caller's. Errors, naming
 * node, value or tensor: IO, FORMAT, UNSUPPORTED, LIMIT, NOMEM. */
hst_status hst__onnx_open(const char *path, hst__onnx_file **out, hst_error *err);
/** Likewise from memory that outlives the file object; external data is refused. */
hst_status hst__onnx_open_memory(const void *bytes, size_t size, hst__onnx_file **out,
                                 hst_error *err);
void hst__onnx_close(hst__onnx_file *file);

#endif
