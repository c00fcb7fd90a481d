/* Dense row-major tensors and their file forms (.npy, ONNX TensorProto .pb). */
#ifndef HASTEN_TENSOR_H
#define HASTEN_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "hasten/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HST_MAX_RANK = 8 };

/** Element types: X(enumerator, bytes, name, ONNX TensorProto.DataType number). */
#define HST_DTYPE_LIST(X)                                                                  \
    X(HST_DTYPE_NONE, 0, "none", 0)                                                        \
    X(HST_DTYPE_F32, 4, "f32", 1)                                                          \
    X(HST_DTYPE_U8, 1, "u8", 2)                                                            \
    X(HST_DTYPE_S8, 1, "s8", 3)                                                            \
    X(HST_DTYPE_U16, 2, "u16", 4)                                                          \
    X(HST_DTYPE_S16, 2, "s16", 5)                                                          \
    X(HST_DTYPE_S32, 4, "s32", 6)                                                          \
    X(HST_DTYPE_S64, 8, "s64", 7)                                                          \
    X(HST_DTYPE_BOOL, 1, "bool", 9)                                                        \
    X(HST_DTYPE_F16, 2, "f16", 10)                                                         \
    X(HST_DTYPE_F64, 8, "f64", 11)                                                         \
    X(HST_DTYPE_U32, 4, "u32", 12)                                                         \
    X(HST_DTYPE_U64, 8, "u64", 13)                                                         \
    X(HST_DTYPE_BF16, 2, "bf16", 16)

typedef enum hst_dtype {
#define HST_DTYPE_ENUM(name, bytes, text, onnx) name,
    HST_DTYPE_LIST(HST_DTYPE_ENUM)
#undef HST_DTYPE_ENUM
} hst_dtype;

/** Bytes of one element; 0 for HST_DTYPE_NONE and unknown values. */
HST_API size_t hst_dtype_size(hst_dtype dtype);
/** "f32", "u8", ...; "?" for unknown values. Constant text. */
HST_API const char *hst_dtype_name(hst_dtype dtype);

/** Element type and shape. rank 0 is a scalar; a dimension of -1 is free (not known yet). */
typedef struct hst_tensor_info {
    hst_dtype dtype;
    int rank;
    int64_t dims[HST_MAX_RANK];
} hst_tensor_info;

/** Row-major, dense, 128-byte aligned elements with their element type and shape. */
typedef struct hst_tensor hst_tensor;

/** A zeroed tensor. *out is the caller's (hst_tensor_destroy); NULL on failure.
 * Errors: ARG (rank over HST_MAX_RANK, negative dimension), LIMIT (size overflow), NOMEM. */
HST_API hst_status hst_tensor_create(const hst_tensor_info *info, hst_tensor **out,
                                     hst_error *err);
/** A tensor over the caller's elements, which must outlive it. bytes must fit info. */
HST_API hst_status hst_tensor_wrap(const hst_tensor_info *info, void *data, size_t bytes,
                                   hst_tensor **out, hst_error *err);
HST_API void hst_tensor_destroy(hst_tensor *tensor);

/** Element type and shape; owned by the tensor. */
HST_API const hst_tensor_info *hst_tensor_get_info(const hst_tensor *tensor);
HST_API void *hst_tensor_data(hst_tensor *tensor);
HST_API const void *hst_tensor_const_data(const hst_tensor *tensor);
/** Size of the elements in bytes. */
HST_API size_t hst_tensor_bytes(const hst_tensor *tensor);
/** Number of elements. */
HST_API size_t hst_tensor_count(const hst_tensor *tensor);

/** Reads a .npy file (NumPy format 1.0 to 3.0, C or Fortran order, little-endian) or an
 * ONNX TensorProto (.pb). The form is told from the first bytes, not from the name.
 * *out is the caller's. Errors: IO, FORMAT, UNSUPPORTED (element type), LIMIT, NOMEM. */
HST_API hst_status hst_tensor_load_file(const char *path, hst_tensor **out, hst_error *err);
/** Writes a .npy file (format 1.0, C order). Errors: IO, UNSUPPORTED (bf16). */
HST_API hst_status hst_tensor_save_npy(const hst_tensor *tensor, const char *path,
                                       hst_error *err);

#ifdef __cplusplus
}
#endif
#endif
