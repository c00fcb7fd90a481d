/* TensorProto -> tensor. */
#ifndef HST_ONNX_TENSOR_READ_H
#define HST_ONNX_TENSOR_READ_H

#include "onnx/wire.h"
#include "tensor/tensor.h"

/** Finds the bytes of external data; see external.h. */
typedef struct hst__external hst__external;

typedef struct hst__tensor_source {
    bool borrow; /**< large raw data may stay where it is */
    bool mapped; /**< ... and lies in a file map, whose pages may be dropped */
    hst__external *external; /**< NULL: external data is refused */
} hst__tensor_source;

/** *name (may be NULL) points into the message. *out is the caller's. */
hst_status hst__tensor_read(hst__span message, const hst__tensor_source *source,
                            hst__span *name, hst_tensor **out, hst_error *err);

#endif
