/* Element types of .npy files, shared by reader and writer. */
#ifndef HST_TENSOR_NPY_TYPES_H
#define HST_TENSOR_NPY_TYPES_H

#include "hasten/tensor.h"

static const struct {
    char code[4];
    hst_dtype dtype;
} hst__npy_types[] = {
    {"<f4", HST_DTYPE_F32}, {"|u1", HST_DTYPE_U8},   {"|i1", HST_DTYPE_S8},
    {"<u2", HST_DTYPE_U16}, {"<i2", HST_DTYPE_S16},  {"<i4", HST_DTYPE_S32},
    {"<i8", HST_DTYPE_S64}, {"|b1", HST_DTYPE_BOOL}, {"<f2", HST_DTYPE_F16},
    {"<f8", HST_DTYPE_F64}, {"<u4", HST_DTYPE_U32},  {"<u8", HST_DTYPE_U64},
};
enum { HST__NPY_TYPES = sizeof hst__npy_types / sizeof *hst__npy_types };

#define HST__NPY_MAGIC "\x93NUMPY"
enum { HST__NPY_MAGIC_BYTES = 6 };

#endif
