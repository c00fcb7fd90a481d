/* Trilu: the upper (lower) triangle of each matrix, zeros elsewhere; k moves the diagonal
 * towards the upper right. */
#include <string.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, K };

static hst_status get_diagonal(hst__op_ctx *c, int64_t *k) {
    hst_status st = hst__types_need(c, 1);
    if (!st)
        st = hst__op_scalar_int(c, K, 0, k);
    if (!st && c->in[X].rank < 2)
        st = hst__op_fail(c, HST_E_SHAPE, "data of rank %d, not of matrices",
                          c->in[X].rank);
    return st;
}

static hst_status infer(hst__op_ctx *c) {
    int64_t k;
    hst_status st = get_diagonal(c, &k);
    return st ? st : hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, c->in[X].dims);
}

typedef struct trilu_state {
    size_t rows, bytes, size; /**< rows of a matrix; bytes of a row and of an element */
    int64_t k, columns;
    bool upper;
    hst__pieces pieces;
} trilu_state;

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const trilu_state *s = j->step->state;
    const char *x = hst__in(j->step, j->run, X);
    char *y = hst__out(j->step, j->run, 0);
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t row = from; row < to; row++) {
        int64_t cut = (int64_t)(row % s->rows) + s->k + !s->upper;
        cut = cut < 0 ? 0 : cut > s->columns ? s->columns : cut;
        size_t left = (size_t)cut * s->size, right = s->bytes - left;
        char *to_row = y + row * s->bytes;
        if (x != y)
            memcpy(to_row, x + row * s->bytes, s->bytes);
        memset(s->upper ? to_row : to_row + left, 0, s->upper ? left : right);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const trilu_state *)step->state)->pieces.count, task, &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    int64_t k;
    hst_status st = get_diagonal(c, &k);
    trilu_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[X];
    int64_t rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];
    size_t size = hst_dtype_size(x->dtype), count = hst__desc_size(x);
    *s = (trilu_state){.rows = (size_t)rows,
                       .bytes = (size_t)columns * size,
                       .size = size,
                       .k = k < -rows     ? -rows
                            : k > columns ? columns
                                          : k,
                       .columns = columns,
                       .upper = hst__attr_int(c->node, "upper", 1)};
    s->pieces = hst__pieces_cut(count ? count / (size_t)columns : 0,
                                0.1 * (double)s->bytes, 1, c->threads);
    step->in_place = 1u << X;
    step->consumed = 1u << K;
    step->state = s;
    step->kernel = "copy";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_Trilu = {14, HST__OPSET_MAX, 1, 2, 1, 1, false, infer, prepare};
