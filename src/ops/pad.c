/* Pad: constant, reflect, edge, wrap; pads as attribute (before opset 11) or input, for
 * all or some axes; negative pads crop. For each dimension a table says which input
 * position an output position shows, -1 for the constant. */
#include <string.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, PADS, VALUE, AXES };

static hst_status get_pads(hst__op_ctx *c, int64_t begin[HST_MAX_RANK],
                           int64_t end[HST_MAX_RANK]) {
    int64_t pads[2 * HST_MAX_RANK], axes[HST_MAX_RANK];
    int rank = c->in[X].rank, n = 0, n_axes = rank;
    size_t listed;
    const int64_t *attr = hst__attr_ints(c->node, "pads", &listed);
    hst_status st = hst__types_need(c, 1);
    if (st)
        return st;
    if (c->node->opset >= 11)
        st = hst__op_ints(c, PADS, pads, 2 * HST_MAX_RANK, &n);
    else if (attr && listed <= 2 * HST_MAX_RANK)
        memcpy(pads, attr, (size_t)(n = (int)listed) * sizeof *pads);
    for (int i = 0; i < rank; i++) {
        axes[i] = i;
        begin[i] = end[i] = 0;
    }
    if (!st && hst__op_has(c, AXES))
        st = hst__op_ints(c, AXES, axes, HST_MAX_RANK, &n_axes);
    if (!st && n != 2 * n_axes)
        st = hst__op_fail(c, HST_E_SHAPE, "%d pads for %d axes", n, n_axes);
    for (int i = 0; !st && i < n_axes; i++) {
        int axis = 0;
        st = hst__op_axis(c, axes[i], rank, false, &axis);
        if (!st && (pads[i] > INT32_MAX || pads[n_axes + i] > INT32_MAX ||
                    pads[i] < -INT32_MAX || pads[n_axes + i] < -INT32_MAX))
            st = hst__op_fail(c, HST_E_SHAPE, "a pad that is too large");
        if (!st) {
            begin[axis] = pads[i];
            end[axis] = pads[n_axes + i];
        }
    }
    return st;
}

static hst_status infer(hst__op_ctx *c) {
    int64_t begin[HST_MAX_RANK], end[HST_MAX_RANK], dims[HST_MAX_RANK];
    hst_status st = get_pads(c, begin, end);
    if (st)
        return st;
    for (int i = 0; i < c->in[X].rank; i++)
        dims[i] = c->in[X].dims[i] + begin[i] + end[i];
    return hst__op_set_out(c, 0, c->in[X].dtype, c->in[X].rank, dims);
}

typedef struct pad_state {
    int rank;
    size_t element, rows, row; /**< row: length of the last dimension */
    int32_t *source[HST_MAX_RANK];
    size_t in_stride[HST_MAX_RANK]; /**< elements */
    size_t copy_at, copy_from,
        copy_count; /**< run of the last dimension that is copied */
    bool given;     /**< input 2 is the value */
    char value[8];  /**< of the attribute, or zero: what counts without input 2 */
    hst__pieces pieces;
} pad_state;

static int32_t mirrored(int64_t p, int64_t n) {
    if (n == 1)
        return 0;
    int64_t period = 2 * (n - 1);
    p = ((p % period) + period) % period;
    return (int32_t)(p < n ? p : period - p);
}

static int32_t source_of(const char *mode, int64_t p, int64_t n) {
    if (p >= 0 && p < n)
        return (int32_t)p;
    switch (mode[0]) {
    case 'r':
        return mirrored(p, n);
    case 'e':
        return (int32_t)(p < 0 ? 0 : n - 1);
    case 'w':
        return (int32_t)(((p % n) + n) % n);
    default:
        return -1;
    }
}

static void fill(const pad_state *s, const char *value, char *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        memcpy(y + i * s->element, value, s->element);
}

static void pad_row(const pad_state *s, const char *value, const char *x, char *y) {
    const int32_t *source = s->source[s->rank - 1];
    size_t e = s->element;
    for (size_t i = 0; i < s->copy_at; i++)
        memcpy(y + i * e, source[i] < 0 ? value : x + (size_t)source[i] * e, e);
    if (s->copy_count)
        memcpy(y + s->copy_at * e, x + s->copy_from * e, s->copy_count * e);
    for (size_t i = s->copy_at + s->copy_count; i < s->row; i++)
        memcpy(y + i * e, source[i] < 0 ? value : x + (size_t)source[i] * e, e);
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const pad_state *s = j->step->state;
    const char *x = hst__in(j->step, j->run, X);
    const char *value = s->given ? hst__in(j->step, j->run, VALUE) : s->value;
    char *y = hst__out(j->step, j->run, 0);
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t row = from; row < to; row++) {
        size_t left = row, at = 0;
        bool outside = false;
        for (int d = s->rank - 2; d >= 0; d--) {
            size_t size = (size_t)j->step->out_desc[0].dims[d];
            int32_t p = s->source[d][left % size];
            left /= size;
            outside |= p < 0;
            at += (size_t)(p < 0 ? 0 : p) * s->in_stride[d];
        }
        if (outside)
            fill(s, value, y + row * s->row * s->element, s->row);
        else
            pad_row(s, value, x + at * s->element, y + row * s->row * s->element);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    pad_state *s = (pad_state *)step->state;
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

/** The constant: the attribute "value", or what input 2 is in a run. */
static hst_status get_value(hst__op_ctx *c, pad_state *s) {
    float v = hst__attr_float(c->node, "value", 0);
    if (c->node->opset < 11) {
        if (c->in[X].dtype == HST_DTYPE_F32)
            memcpy(s->value, &v, sizeof v);
        return HST_OK;
    }
    if (!hst__op_has(c, VALUE))
        return HST_OK;
    if (c->in[VALUE].dtype != c->in[X].dtype || hst__desc_size(&c->in[VALUE]) != 1)
        return hst__op_fail(c, HST_E_TYPE, "the constant is not one %s",
                            hst_dtype_name(c->in[X].dtype));
    s->given = true;
    return HST_OK;
}

static hst_status build_tables(hst__op_ctx *c, pad_state *s, const char *mode) {
    int64_t begin[HST_MAX_RANK], end[HST_MAX_RANK], strides[HST_MAX_RANK];
    const hst__desc *x = &c->in[X], *y = &c->out[0];
    hst_status st = get_pads(c, begin, end);
    if (st)
        return st;
    hst__desc_strides(x, strides);
    for (int d = 0; d < x->rank; d++) {
        s->in_stride[d] = (size_t)strides[d];
        s->source[d] = hst__arena_array(c->arena, (size_t)y->dims[d], sizeof(int32_t));
        if (!s->source[d])
            return hst__op_nomem(c, (size_t)y->dims[d] * sizeof(int32_t));
        if (x->dims[d] == 0 && mode[0] != 'c' && y->dims[d] > 0)
            return hst__op_fail(c, HST_E_SHAPE, "nothing to repeat in dimension %d", d);
        for (int64_t o = 0; o < y->dims[d]; o++)
            s->source[d][o] = source_of(mode, o - begin[d], x->dims[d]);
    }
    if (x->rank > 0) { /* the middle of a row is copied in one go */
        int d = x->rank - 1;
        int64_t from = begin[d] > 0 ? begin[d] : 0, to = begin[d] + x->dims[d];
        to = to > y->dims[d] ? y->dims[d] : to;
        s->copy_at = (size_t)(from < y->dims[d] ? from : y->dims[d]);
        s->copy_count = to > from ? (size_t)(to - from) : 0;
        s->copy_from = (size_t)(from - begin[d]);
    }
    return HST_OK;
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
    const char *mode = hst__attr_string(c->node, "mode", "constant");
    pad_state *s = hst__op_state(c, sizeof *s);
    bool known = false;
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    for (int i = 0; i < 4; i++)
        known |= strcmp(mode, modes[i]) == 0;
    if (!known)
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "mode '%.40s'; constant, reflect, edge, wrap are", mode);
    if (c->in[X].rank == 0) {
        step->alias = 1;
        return HST_OK;
    }
    s->rank = c->in[X].rank;
    s->element = hst_dtype_size(c->in[X].dtype);
    s->row = (size_t)c->out[0].dims[s->rank - 1];
    s->rows = hst__desc_span(&c->out[0], 0, s->rank - 1);
    hst_status st = get_value(c, s);
    if (!st)
        st = build_tables(c, s, mode);
    s->pieces =
        hst__pieces_cut(s->row ? s->rows : 0, 5 + 0.2 * (double)s->row, 1, c->threads);
    step->unaligned = 1;
    step->state = s;
    step->kernel = "copy";
    step->run = run;
    return st;
}

const hst__op hst__op_Pad = {7, HST__OPSET_MAX, 1, 4, 1, 1, false, infer, prepare};
