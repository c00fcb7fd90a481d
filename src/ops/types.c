#include "ops/types.h"

#include <stdio.h>

hst_status hst__types_refuse(hst__op_ctx *c, int input, uint32_t supported) {
    char text[128] = "none";
    size_t at = 0;
    for (int d = 0; d < HST__DTYPES && at < sizeof text; d++)
        if (supported >> d & 1)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? ", " : "",
                                   hst_dtype_name((hst_dtype)d));
    return hst__op_bad_type(c, input, text);
}

hst_status hst__types_need(hst__op_ctx *c, int n) {
    for (int i = 0; i < n; i++)
        if (!hst__op_has(c, i))
            return hst__op_fail(c, HST_E_FORMAT, "input %d is missing", i);
    return HST_OK;
}

hst_status hst__types_equal(hst__op_ctx *c, int i, int k) {
    int absent = !hst__op_has(c, i) ? i : !hst__op_has(c, k) ? k : -1;
    if (absent >= 0)
        return hst__op_fail(c, HST_E_FORMAT, "input %d is missing", absent);
    if (c->in[i].dtype == c->in[k].dtype)
        return HST_OK;
    return hst__op_fail(c, HST_E_TYPE, "inputs %d and %d have element types %s and %s", i,
                        k, hst_dtype_name(c->in[i].dtype),
                        hst_dtype_name(c->in[k].dtype));
}

hst_dtype hst__types_from_onnx(int64_t number, const char **name) {
    static const char *const names[] = {
        "UNDEFINED",    "FLOAT",      "UINT8",          "INT8",       "UINT16",
        "INT16",        "INT32",      "INT64",          "STRING",     "BOOL",
        "FLOAT16",      "DOUBLE",     "UINT32",         "UINT64",     "COMPLEX64",
        "COMPLEX128",   "BFLOAT16",   "FLOAT8E4M3FN",   "FLOAT8E4M3FNUZ",
        "FLOAT8E5M2",   "FLOAT8E5M2FNUZ", "UINT4",      "INT4",       "FLOAT4E2M1",
        "FLOAT8E8M0",   "UINT2",      "INT2"};
    bool known = number >= 0 && number < (int64_t)(sizeof names / sizeof *names);
    *name = known ? names[number] : "an unknown type";
    switch (number) {
#define ONNX_CASE(dtype, bytes, text, onnx)                                              \
    case onnx:                                                                           \
        return dtype;
        HST_DTYPE_LIST(ONNX_CASE)
#undef ONNX_CASE
    default:
        return HST_DTYPE_NONE;
    }
}
