/* GroupNormalization: scale and bias are one a group in opset 18, one a channel from 21
 * on. */
#include "ops/group_norm.h"
#include "ops/types.h"
#include "ops/unary.h"

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 3);
    return st ? st : hst__unary_infer(c);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    int64_t groups = hst__attr_int(c->node, "num_groups", 0);
    if (groups < 1)
        return hst__op_fail(c, HST_E_FORMAT, "num_groups is %lld", (long long)groups);
    return hst__group_norm_prepare(c, s, groups,
                                   hst__attr_float(c->node, "epsilon", 1e-5f));
}

const hst__op hst__op_GroupNormalization = {18, HST__OPSET_MAX, 3,     3,      1,
                                            1,  false,          infer, prepare};
