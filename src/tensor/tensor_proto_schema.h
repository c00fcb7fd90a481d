/* TensorProto of the ONNX format (onnx.proto, IR version 13): field numbers and kinds.
 * The other messages are in onnx/schema.h. */
#ifndef HST_TENSOR_TENSOR_PROTO_SCHEMA_H
#define HST_TENSOR_TENSOR_PROTO_SCHEMA_H

#include "base/wire.h"

#define HST__TENSOR_FIELDS(X)                                                            \
    X(TENSOR, DIMS, 1, VARINTS)                                                          \
    X(TENSOR, DATA_TYPE, 2, VARINT)                                                      \
    X(TENSOR, SEGMENT, 3, BYTES)                                                         \
    X(TENSOR, FLOAT_DATA, 4, FIXED32S)                                                   \
    X(TENSOR, INT32_DATA, 5, VARINTS)                                                    \
    X(TENSOR, STRING_DATA, 6, BYTES)                                                     \
    X(TENSOR, INT64_DATA, 7, VARINTS)                                                    \
    X(TENSOR, NAME, 8, BYTES)                                                            \
    X(TENSOR, RAW_DATA, 9, BYTES)                                                        \
    X(TENSOR, DOUBLE_DATA, 10, FIXED64S)                                                 \
    X(TENSOR, UINT64_DATA, 11, VARINTS)                                                  \
    X(TENSOR, EXTERNAL_DATA, 13, BYTES)                                                  \
    X(TENSOR, DATA_LOCATION, 14, VARINT)

/** StringStringEntryProto: what external data is described with. */
#define HST__ENTRY_FIELDS(X)                                                             \
    X(ENTRY, KEY, 1, BYTES)                                                              \
    X(ENTRY, VALUE, 2, BYTES)

enum { HST__TENSOR_FIELDS(HST__WIRE_NUMBER) HST__ENTRY_FIELDS(HST__WIRE_NUMBER) };
enum { HST__TENSOR_EXTERNAL = 1 /**< TensorProto.DataLocation */ };

extern const hst__wire_message hst__tensor_message, hst__entry_message;

#endif
