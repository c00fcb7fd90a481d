/* A tensor of the given shape, filled with one value (default f32 zero). */
#include <string.h>

#include "ops/types.h"
#include "ops/unary.h"

static const hst_tensor *value(const hst__op_ctx *c) {
    const hst__attr *a = hst__attr_get(c->node, "value");
    return a && a->type == HST__ATTR_TENSOR ? a->tensor : NULL;
}

static hst_status infer(hst__op_ctx *c) {
    int64_t dims[HST_MAX_RANK];
    int rank;
    const hst_tensor *v = value(c);
    hst_status st = hst__op_ints(c, 0, dims, HST_MAX_RANK, &rank);
    if (!st && v && hst_tensor_count(v) != 1)
        st = hst__op_fail(c, HST_E_SHAPE, "the value has %zu elements, not 1",
                          hst_tensor_count(v));
    return st ? st : hst__op_set_out(c, 0, v ? v->desc.dtype : HST_DTYPE_F32, rank, dims);
}

static void run(const hst__step *s, const hst__run *r) {
    const char *v = s->state;
    size_t size = hst_dtype_size(s->out_desc[0].dtype),
           n = hst__desc_size(&s->out_desc[0]);
    char *y = hst__out(s, r, 0);
    for (size_t i = 0; i < n; i++)
        memcpy(y + i * size, v, size);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    char *v = hst__op_state(c, 8);
    if (!v)
        return hst__op_nomem(c, 8);
    if (value(c))
        memcpy(v, value(c)->data, hst_dtype_size(c->out[0].dtype));
    s->state = v;
    s->consumed = 1;
    s->run = run;
    return HST_OK;
}

const hst__op hst__op_ConstantOfShape = {9, HST__OPSET_MAX, 1,     1,      1,
                                         1, false,          infer, prepare};
