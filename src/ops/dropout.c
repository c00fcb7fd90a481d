/* Dropout at inference: the input itself; the mask, where it is asked for, is all true.
 */
#include <string.h>

#include "ops/types.h"
#include "ops/unary.h"

enum { X, RATIO, TRAINING };

static hst_status infer(hst__op_ctx *c) {
    int64_t training = 0;
    hst_status st = hst__types_need(c, 1);
    if (!st && hst__op_has(c, TRAINING))
        st = hst__op_scalar_int(c, TRAINING, 0, &training);
    if (st)
        return st;
    float ratio = 0.5f;
    if (training && hst__op_has(c, RATIO))
        st = hst__op_scalar_float(c, RATIO, 0.5f, &ratio);
    if (!st && training && ratio != 0)
        st = hst__op_fail(c, HST_E_UNSUPPORTED,
                          "training_mode true; only inference is "
                          "supported");
    if (!st)
        st = hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, c->in[X].dims);
    if (!st && hst__op_wants(c, 1))
        st = hst__op_set_out(c, 1, HST_DTYPE_BOOL, c->in[X].rank, c->in[X].dims);
    return st;
}

static void run(const hst__step *s, const hst__run *r) {
    size_t bytes;
    hst__desc_bytes(&s->in_desc[X], &bytes);
    memcpy(hst__out(s, r, 0), hst__in(s, r, X), bytes);
    memset(hst__out(s, r, 1), 1, hst__desc_size(&s->in_desc[X]));
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    if (!hst__op_wants(c, 1))
        s->alias = 1;
    s->run = run;
    return HST_OK;
}

const hst__op hst__op_Dropout = {7, HST__OPSET_MAX, 1, 3, 1, 2, false, infer, prepare};
