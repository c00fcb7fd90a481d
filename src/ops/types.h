/* Lists of element types, so that an operator that is the same for many is written once.
 * Each entry is X(arg, suffix, enumerator, C type). Half floats are widened to f32 before
 * planning; only what moves or converts elements meets them. */
#ifndef HST_OPS_TYPES_H
#define HST_OPS_TYPES_H

#include "ops/op.h"

#define HST__TYPES_F32(X, arg) X(arg, f32, HST_DTYPE_F32, float)
#define HST__TYPES_FLOAT(X, arg) HST__TYPES_F32(X, arg) X(arg, f64, HST_DTYPE_F64, double)
#define HST__TYPES_SIGNED(X, arg)                                                        \
    X(arg, s8, HST_DTYPE_S8, int8_t)                                                     \
    X(arg, s16, HST_DTYPE_S16, int16_t)                                                  \
    X(arg, s32, HST_DTYPE_S32, int32_t)                                                  \
    X(arg, s64, HST_DTYPE_S64, int64_t)
#define HST__TYPES_UNSIGNED(X, arg)                                                      \
    X(arg, u8, HST_DTYPE_U8, uint8_t)                                                    \
    X(arg, u16, HST_DTYPE_U16, uint16_t)                                                 \
    X(arg, u32, HST_DTYPE_U32, uint32_t)                                                 \
    X(arg, u64, HST_DTYPE_U64, uint64_t)
#define HST__TYPES_BOOL(X, arg) X(arg, boolean, HST_DTYPE_BOOL, uint8_t)
#define HST__TYPES_INT(X, arg) HST__TYPES_SIGNED(X, arg) HST__TYPES_UNSIGNED(X, arg)
#define HST__TYPES_NUMBER(X, arg) HST__TYPES_INT(X, arg) HST__TYPES_FLOAT(X, arg)
#define HST__TYPES_ALL(X, arg) HST__TYPES_NUMBER(X, arg) HST__TYPES_BOOL(X, arg)

/** With prefix as arg: the entries of a table that is indexed by element type. */
#define HST__TYPE_ENTRY(prefix, suffix, dtype, ctype) [dtype] = prefix##suffix,

enum { HST__DTYPES = HST_DTYPE_BF16 + 1 };

/** Refuses the type of input i; bit d of `supported` stands for element type d. */
hst_status hst__types_refuse(hst__op_ctx *c, int input, uint32_t supported);

/** HST_OK when inputs 0..n-1 are there: a file may leave any of them out. */
hst_status hst__types_need(hst__op_ctx *c, int n);
/** HST_OK when inputs i and k are there and have one element type. */
hst_status hst__types_equal(hst__op_ctx *c, int i, int k);

/** Element type of an ONNX TensorProto.DataType number; HST_DTYPE_NONE where the library
 * has none. *name gets the name that ONNX gives to the number. */
hst_dtype hst__types_from_onnx(int64_t number, const char **name);

#endif
