#include "ops/cast_common.h"
#include "ops/types.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) {
    const char *name = "?";
    hst_status st = hst__types_need(c, 1);
    if (st)
        return st;
    int64_t number = hst__attr_int(c->node, "to", 0);
    hst_dtype to = hst__types_from_onnx(number, &name);
    if (!to)
        return hst__op_fail(
            c, HST_E_UNSUPPORTED,
            "the element type %s (%lld); integers of 8 to 64 bits, bool, f16, "
            "bf16, f32, f64 are",
            name, (long long)number);
    return hst__op_set_out(c, 0, to, c->in[0].rank, c->in[0].dims);
}

const hst__op hst__op_Cast = {7,     HST__OPSET_MAX,   1, 1, 1, 1, false,
                              infer, hst__cast_prepare};
