/* com.microsoft SkipLayerNormalization: LayerNormalization of input + skip [+ bias]. */
#include "ops/row_norm.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, SKIP, GAMMA, BETA, BIAS, MEAN = 1, INV_STD = 2, SUM = 3 };

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 3);
    const hst__desc *x = &c->in[X];
    if (st)
        return st;
    if (x->rank < 1 || x->dims[x->rank - 1] < 1)
        return hst__op_fail(c, HST_E_SHAPE, "an input of rank %d", x->rank);
    size_t n = (size_t)x->dims[x->rank - 1], skip = hst__desc_size(&c->in[SKIP]);
    if (skip == 0 || skip % n != 0 || hst__desc_size(x) % skip != 0)
        return hst__op_fail(c, HST_E_SHAPE, "input and skip do not fit");
    for (int i = GAMMA; i <= BIAS; i++)
        if (hst__op_has(c, i) && hst__desc_size(&c->in[i]) != n)
            return hst__op_fail(c, HST_E_SHAPE,
                                "input %d has %zu elements for rows of %zu", i,
                                hst__desc_size(&c->in[i]), n);
    hst__desc row = *x;
    row.dims[row.rank - 1] = 1;
    st = hst__unary_infer(c);
    for (int i = MEAN; !st && i <= INV_STD; i++)
        if (hst__op_wants(c, i))
            st = hst__op_set_out(c, i, HST_DTYPE_F32, row.rank, row.dims);
    if (!st && hst__op_wants(c, SUM))
        st = hst__op_set_out(c, SUM, x->dtype, x->rank, x->dims);
    return st;
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    const hst__desc *x = &c->in[X];
    for (int i = X; i <= BIAS; i++)
        if (hst__op_has(c, i) && c->in[i].dtype != HST_DTYPE_F32)
            return hst__op_bad_type(c, i, "f32, f16");
    size_t n = (size_t)x->dims[x->rank - 1];
    hst__row_norm norm = {.x = X,
                          .skip = SKIP,
                          .skip_bias = hst__op_has(c, BIAS) ? BIAS : -1,
                          .gamma = GAMMA,
                          .beta = hst__op_has(c, BETA) ? BETA : -1,
                          .mean = hst__op_wants(c, MEAN) ? MEAN : -1,
                          .inv_std = hst__op_wants(c, INV_STD) ? INV_STD : -1,
                          .sum = hst__op_wants(c, SUM) ? SUM : -1,
                          .rows = hst__desc_size(x) / n,
                          .n = n,
                          .eps = hst__attr_float(c->node, "epsilon", 1e-12f),
                          .centre = true};
    return hst__row_norm_prepare(c, s, &norm);
}

const hst__op hst__op_ms_SkipLayerNormalization = {1, HST__OPSET_MAX, 3,     5,      1,
                                                   4, false,          infer, prepare};
