/* The ONNX format (onnx.proto, IR version 13): numbers and kinds of the fields that are
 * used. The one place for them, for reading and for writing. */
#ifndef HST_ONNX_SCHEMA_H
#define HST_ONNX_SCHEMA_H

#include "tensor/tensor_proto_schema.h"

#define HST__MODEL_FIELDS(X)                                                             \
    X(MODEL, IR_VERSION, 1, VARINT)                                                      \
    X(MODEL, PRODUCER_NAME, 2, BYTES)                                                    \
    X(MODEL, PRODUCER_VERSION, 3, BYTES)                                                 \
    X(MODEL, GRAPH, 7, BYTES)                                                            \
    X(MODEL, OPSET_IMPORT, 8, BYTES)                                                     \
    X(MODEL, FUNCTIONS, 25, BYTES)

#define HST__OPSET_FIELDS(X)                                                             \
    X(OPSET, DOMAIN, 1, BYTES)                                                           \
    X(OPSET, VERSION, 2, VARINT)

#define HST__GRAPH_FIELDS(X)                                                             \
    X(GRAPH, NODE, 1, BYTES)                                                             \
    X(GRAPH, NAME, 2, BYTES)                                                             \
    X(GRAPH, INITIALIZER, 5, BYTES)                                                      \
    X(GRAPH, INPUT, 11, BYTES)                                                           \
    X(GRAPH, OUTPUT, 12, BYTES)                                                          \
    X(GRAPH, SPARSE_INITIALIZER, 15, BYTES)

#define HST__NODE_FIELDS(X)                                                              \
    X(NODE, INPUT, 1, BYTES)                                                             \
    X(NODE, OUTPUT, 2, BYTES)                                                            \
    X(NODE, NAME, 3, BYTES)                                                              \
    X(NODE, OP_TYPE, 4, BYTES)                                                           \
    X(NODE, ATTRIBUTE, 5, BYTES)                                                         \
    X(NODE, DOMAIN, 7, BYTES)                                                            \
    X(NODE, OVERLOAD, 8, BYTES)

#define HST__ATTRIBUTE_FIELDS(X)                                                         \
    X(ATTRIBUTE, NAME, 1, BYTES)                                                         \
    X(ATTRIBUTE, F, 2, FIXED32)                                                          \
    X(ATTRIBUTE, I, 3, VARINT)                                                           \
    X(ATTRIBUTE, S, 4, BYTES)                                                            \
    X(ATTRIBUTE, T, 5, BYTES)                                                            \
    X(ATTRIBUTE, G, 6, BYTES)                                                            \
    X(ATTRIBUTE, FLOATS, 7, FIXED32S)                                                    \
    X(ATTRIBUTE, INTS, 8, VARINTS)                                                       \
    X(ATTRIBUTE, STRINGS, 9, BYTES)                                                      \
    X(ATTRIBUTE, TENSORS, 10, BYTES)                                                     \
    X(ATTRIBUTE, GRAPHS, 11, BYTES)                                                      \
    X(ATTRIBUTE, TYPE_PROTO, 14, BYTES)                                                  \
    X(ATTRIBUTE, TYPE_PROTOS, 15, BYTES)                                                 \
    X(ATTRIBUTE, TYPE, 20, VARINT)                                                       \
    X(ATTRIBUTE, REF_NAME, 21, BYTES)                                                    \
    X(ATTRIBUTE, SPARSE_TENSOR, 22, BYTES)                                               \
    X(ATTRIBUTE, SPARSE_TENSORS, 23, BYTES)

#define HST__FUNCTION_FIELDS(X)                                                          \
    X(FUNCTION, NAME, 1, BYTES)                                                          \
    X(FUNCTION, INPUT, 4, BYTES)                                                         \
    X(FUNCTION, OUTPUT, 5, BYTES)                                                        \
    X(FUNCTION, NODE, 7, BYTES)                                                          \
    X(FUNCTION, OPSET_IMPORT, 9, BYTES)                                                  \
    X(FUNCTION, DOMAIN, 10, BYTES)                                                       \
    X(FUNCTION, ATTRIBUTE_DEFAULT, 11, BYTES)                                            \
    X(FUNCTION, OVERLOAD, 13, BYTES)

#define HST__VALUE_FIELDS(X)                                                             \
    X(VALUE, NAME, 1, BYTES)                                                             \
    X(VALUE, TYPE, 2, BYTES)

#define HST__TYPE_FIELDS(X)                                                              \
    X(TYPE, TENSOR, 1, BYTES)                                                            \
    X(TYPE, SEQUENCE, 4, BYTES)                                                          \
    X(TYPE, MAP, 5, BYTES)                                                               \
    X(TYPE, OPAQUE, 7, BYTES)                                                            \
    X(TYPE, SPARSE_TENSOR, 8, BYTES)                                                     \
    X(TYPE, OPTIONAL, 9, BYTES)

/** TypeProto.Tensor */
#define HST__TENSOR_TYPE_FIELDS(X)                                                       \
    X(TENSOR_TYPE, ELEMENT, 1, VARINT)                                                   \
    X(TENSOR_TYPE, SHAPE, 2, BYTES)

#define HST__SHAPE_FIELDS(X) X(SHAPE, DIM, 1, BYTES)

/** TensorShapeProto.Dimension */
#define HST__DIM_FIELDS(X)                                                               \
    X(DIM, VALUE, 1, VARINT)                                                             \
    X(DIM, PARAM, 2, BYTES)

/** SparseTensorProto */
#define HST__SPARSE_FIELDS(X) X(SPARSE, VALUES, 1, BYTES)

/** The messages: X(name in code, name in the list above, name in onnx.proto). */
#define HST__MESSAGES(X)                                                                 \
    X(model, MODEL, "ModelProto")                                                        \
    X(opset, OPSET, "OperatorSetIdProto")                                                \
    X(graph, GRAPH, "GraphProto")                                                        \
    X(node, NODE, "NodeProto")                                                           \
    X(attribute, ATTRIBUTE, "AttributeProto")                                            \
    X(function, FUNCTION, "FunctionProto")                                               \
    X(value, VALUE, "ValueInfoProto")                                                    \
    X(type, TYPE, "TypeProto")                                                           \
    X(tensor_type, TENSOR_TYPE, "TypeProto.Tensor")                                      \
    X(shape, SHAPE, "TensorShapeProto")                                                  \
    X(dim, DIM, "TensorShapeProto.Dimension")                                            \
    X(sparse, SPARSE, "SparseTensorProto")

#define HST__MESSAGE(name, upper, text)                                                  \
    enum { HST__##upper##_FIELDS(HST__WIRE_NUMBER) };                                    \
    extern const hst__wire_message hst__##name##_message;
HST__MESSAGES(HST__MESSAGE)
#undef HST__MESSAGE

/** AttributeProto.AttributeType */
enum {
    HST__ATTRIBUTE_TYPE_FLOAT = 1,
    HST__ATTRIBUTE_TYPE_INT,
    HST__ATTRIBUTE_TYPE_STRING,
    HST__ATTRIBUTE_TYPE_TENSOR,
    HST__ATTRIBUTE_TYPE_GRAPH,
    HST__ATTRIBUTE_TYPE_FLOATS,
    HST__ATTRIBUTE_TYPE_INTS,
    HST__ATTRIBUTE_TYPE_STRINGS,
};

#endif
