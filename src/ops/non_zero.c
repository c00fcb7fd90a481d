/* NonZero: the positions of the elements that are not zero, [rank, count]. How many there
 * are must be known when planning. */
#include "ops/types.h"
#include "ops/unary.h"

static bool is_zero(const hst_tensor *t, size_t i) {
    size_t size = hst_dtype_size(t->desc.dtype);
    const unsigned char *p = (const unsigned char *)t->data + i * size;
    bool floating = t->desc.dtype == HST_DTYPE_F32 || t->desc.dtype == HST_DTYPE_F64;
    for (size_t k = 0; k < size; k++)
        if (floating && k == size - 1 ? p[k] & 0x7f : p[k]) /* -0 is zero too */
            return false;
    return true;
}

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 1);
    if (st)
        return st;
    const hst_tensor *t = c->in_const[0];
    if (!t)
        return hst__op_fail(c, HST_E_VALUE_NEEDED, "the value of input 0 must be known");
    int64_t dims[2] = {c->in[0].rank, 0};
    for (size_t i = 0, n = hst__desc_size(&c->in[0]); i < n; i++)
        dims[1] += !is_zero(t, i);
    return hst__op_set_out(c, 0, HST_DTYPE_S64, 2, dims);
}

static void run(const hst__step *step, const hst__run *r) {
    const hst__desc *d = &step->in_desc[0];
    hst_tensor t = {.desc = *d, .data = hst__in(step, r, 0)};
    int64_t *y = hst__out(step, r, 0), count = step->out_desc[0].dims[1], at = 0;
    for (size_t i = 0, n = hst__desc_size(d); i < n; i++) {
        size_t left = i;
        if (is_zero(&t, i))
            continue;
        for (int k = d->rank - 1; k >= 0; k--) {
            y[k * count + at] = (int64_t)(left % (size_t)d->dims[k]);
            left /= (size_t)d->dims[k];
        }
        at++;
    }
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    (void)c;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_NonZero = {9, HST__OPSET_MAX, 1, 1, 1, 1, false, infer, prepare};
