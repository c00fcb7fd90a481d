/* The dimensions start..end-1 of the input, as s64. */
#include "ops/types.h"
#include "ops/unary.h"

static void range(const hst__op_ctx *c, int64_t *from, int64_t *to) {
    int64_t rank = c->in[0].rank;
    *from = hst__attr_int(c->node, "start", 0);
    *to = hst__attr_int(c->node, "end", rank);
    *from = *from < 0 ? *from + rank : *from;
    *to = *to < 0 ? *to + rank : *to;
    *from = *from < 0 ? 0 : *from > rank ? rank : *from;
    *to = *to < *from ? *from : *to > rank ? rank : *to;
}

static hst_status infer(hst__op_ctx *c) {
    int64_t from, to;
    hst_status st = hst__types_need(c, 1);
    if (st)
        return st;
    range(c, &from, &to);
    int64_t count = to - from;
    return hst__op_set_out(c, 0, HST_DTYPE_S64, 1, &count);
}

static void run(const hst__step *s, const hst__run *r) {
    const int64_t *from = s->state;
    int64_t *y = hst__out(s, r, 0);
    for (int64_t i = 0; i < s->out_desc[0].dims[0]; i++)
        y[i] = s->in_desc[0].dims[*from + i];
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    int64_t to, *from = hst__op_state(c, sizeof *from);
    if (!from)
        return hst__op_nomem(c, sizeof *from);
    range(c, from, &to);
    s->state = from;
    s->consumed = 1;
    s->run = run;
    return HST_OK;
}

const hst__op hst__op_Shape = {7, HST__OPSET_MAX, 1, 1, 1, 1, false, infer, prepare};
