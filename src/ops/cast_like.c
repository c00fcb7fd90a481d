#include "ops/cast_common.h"
#include "ops/types.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 2);
    return st ? st : hst__op_set_out(c, 0, c->in[1].dtype, c->in[0].rank, c->in[0].dims);
}

const hst__op hst__op_CastLike = {15,    HST__OPSET_MAX,   2, 2, 1, 1, false,
                                  infer, hst__cast_prepare};
