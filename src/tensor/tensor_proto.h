/* ONNX TensorProto -> tensor. */
#ifndef HST_TENSOR_TENSOR_PROTO_H
#define HST_TENSOR_TENSOR_PROTO_H

#include "base/wire.h"
#include "tensor/tensor.h"

/** Where the elements of a tensor lie when they are in another file. Texts as they stand
 * in the model; offset and length are empty where they are absent. */
typedef struct hst__tensor_location {
    hst__span path, offset, length;
} hst__tensor_location;

/** Finds `bytes` bytes of external data. *mapped: they lie in a file map. */
typedef hst_status hst__tensor_find(void *user, const hst__tensor_location *location,
                                    size_t bytes, hst__span *out, bool *mapped,
                                    hst_error *err);

typedef struct hst__tensor_source {
    bool borrow; /**< large tensors may point into the message, which outlives them */
    bool mapped; /**< ... and lies in a file map, whose pages may be dropped */
    hst__tensor_find *find; /**< NULL: external data is refused */
    void *user;
} hst__tensor_source;

/** Smaller tensors are always copied: they become aligned, and no page is kept for them.
 */
enum { HST__TENSOR_BORROW_BYTES = 4096 };

/** *name (may be NULL) points into the message, empty where there is none. *out is the
 * caller's. Errors, naming the tensor: FORMAT, UNSUPPORTED (element type, rank, external
 * data without `find`), NOMEM, and those of `find`. */
hst_status hst__tensor_proto_read(hst__span message, const hst__tensor_source *source,
                                  hst__span *name, hst_tensor **out, hst_error *err);

/** TensorProto.DataType -> element type; HST_DTYPE_NONE where it is not supported. */
hst_dtype hst__dtype_from_onnx(uint64_t number);
/** Name of a TensorProto.DataType for messages: "float8e4m3fn"; "?" for unknown ones. */
const char *hst__onnx_dtype_name(uint64_t number);

#endif
