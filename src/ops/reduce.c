/* Dimensions are merged into alternating kept and reduced ones, so that two forms remain
 * fast: rows (the innermost is reduced) and columns (the innermost is kept). Sums are
 * taken in double (floats) or in the wrapping 64-bit integers, in index order for each
 * output. */
#include "ops/reduce.h"

#include <math.h>
#include <string.h>

#include "kernels/pointwise.h"
#include "kernels/pool.h"
#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/view.h"

typedef struct axis_set {
    bool reduced[HST_MAX_RANK];
    bool nothing; /**< noop_with_empty_axes: the input as it is */
} axis_set;

static hst_status get_axes(hst__op_ctx *c, int since, axis_set *set) {
    int axes[HST_MAX_RANK], count = -1;
    const hst__desc *x = &c->in[0];
    *set = (axis_set){0};
    hst_status st = hst__types_need(c, 1);
    if (st)
        return st;
    bool empty_input =
        c->node->opset >= since && hst__op_has(c, 1) && hst__desc_size(&c->in[1]) == 0;
    if (!empty_input)
        st = hst__view_axes(c, c->node->opset >= since ? 1 : HST__OP_MAX_IN, x->rank,
                            axes, &count);
    if (st)
        return st;
    if (count <= 0 && hst__attr_int(c->node, "noop_with_empty_axes", 0))
        set->nothing = true;
    for (int i = 0; i < x->rank; i++)
        set->reduced[i] = count <= 0 && !set->nothing;
    for (int i = 0; i < count; i++)
        set->reduced[axes[i]] = true;
    return HST_OK;
}

hst_status hst__reduce_infer(hst__op_ctx *c, int since) {
    axis_set set;
    int64_t dims[HST_MAX_RANK];
    int rank = 0;
    hst_status st = get_axes(c, since, &set);
    if (st)
        return st;
    bool keep = hst__attr_int(c->node, "keepdims", 1);
    for (int i = 0; i < c->in[0].rank; i++)
        if (!set.reduced[i])
            dims[rank++] = c->in[0].dims[i];
        else if (keep)
            dims[rank++] = 1;
    return hst__op_set_out(c, 0, c->in[0].dtype, rank, dims);
}

enum { LOOPS = HST_MAX_RANK };

typedef struct reduce_state {
    hst__reduction kind;
    size_t outputs, count; /**< count: elements behind one output */
    int kept, reduced;     /**< merged loops of each sort, outermost first */
    size_t kept_dims[LOOPS], kept_strides[LOOPS];
    size_t reduced_dims[LOOPS], reduced_strides[LOOPS];
    hst__pieces pieces;
} reduce_state;

static void merge_loops(const hst__desc *x, const axis_set *set, reduce_state *s) {
    size_t stride = 1, dims[2][LOOPS], strides[2][LOOPS];
    int n[2] = {0, 0}, last = -1;
    s->count = 1;
    for (int i = x->rank - 1; i >= 0; i--) {
        size_t d = (size_t)x->dims[i];
        int sort = set->reduced[i];
        if (d != 1 && sort == last) {
            dims[sort][n[sort] - 1] *= d;
        } else if (d != 1) {
            dims[sort][n[sort]] = d;
            strides[sort][n[sort]++] = stride;
            last = sort;
        }
        if (sort)
            s->count *= d;
        stride *= d;
    }
    s->kept = n[0];
    s->reduced = n[1];
    for (int i = 0; i < n[0]; i++) {
        s->kept_dims[i] = dims[0][n[0] - 1 - i];
        s->kept_strides[i] = strides[0][n[0] - 1 - i];
    }
    for (int i = 0; i < n[1]; i++) {
        s->reduced_dims[i] = dims[1][n[1] - 1 - i];
        s->reduced_strides[i] = strides[1][n[1] - 1 - i];
    }
}

static size_t position(size_t index, int loops, const size_t *dims,
                       const size_t *strides) {
    size_t at = 0;
    for (int i = loops - 1; i >= 0; i--) {
        at += index % dims[i] * strides[i];
        index /= dims[i];
    }
    return at;
}

static double start_of(hst__reduction kind) {
    switch (kind) {
    case HST__REDUCE_MAX:
    case HST__REDUCE_LOG_SUM_EXP:
        return -INFINITY;
    case HST__REDUCE_MIN:
        return INFINITY;
    case HST__REDUCE_PROD:
        return 1;
    default:
        return 0;
    }
}

static inline double add(hst__reduction kind, double a, double v) {
    switch (kind) {
    case HST__REDUCE_MAX:
    case HST__REDUCE_LOG_SUM_EXP: /* the largest first; the sum follows */
        return v > a || v != v ? v : a;
    case HST__REDUCE_MIN:
        return v < a || v != v ? v : a;
    case HST__REDUCE_PROD:
        return a * v;
    case HST__REDUCE_L1:
        return a + fabs(v);
    case HST__REDUCE_L2:
    case HST__REDUCE_SUM_SQUARE:
        return a + v * v;
    default:
        return a + v;
    }
}

static double finish(const reduce_state *s, double a) {
    switch (s->kind) {
    case HST__REDUCE_MEAN:
        return a / (double)s->count;
    case HST__REDUCE_L2:
        return sqrt(a);
    case HST__REDUCE_LOG_SUM:
        return log(a);
    default:
        return a;
    }
}

#define SUM_EXP(ctype)                                                                   \
    if (s->kind == HST__REDUCE_LOG_SUM_EXP && isfinite(a)) {                             \
        double peak = a, total = 0;                                                      \
        for (size_t r = 0; r < s->count; r++)                                            \
            total += exp((double)x[base + position(r, s->reduced, s->reduced_dims,       \
                                                   s->reduced_strides)] -                \
                         peak);                                                          \
        a = peak + log(total);                                                           \
    }

/** One output at a time, for floats: any loops; rows run over contiguous values. */
#define FLOAT_ROWS(arg, suffix, dtype, ctype)                                            \
    static void rows_##suffix(const reduce_state *s, const void *from, void *to,         \
                              size_t first, size_t last) {                               \
        const ctype *x = from;                                                           \
        ctype *y = to;                                                                   \
        int inner = s->reduced - 1;                                                      \
        size_t n = s->reduced ? s->reduced_dims[inner] : 1;                              \
        size_t step = s->reduced ? s->reduced_strides[inner] : 1;                        \
        for (size_t o = first; o < last; o++) {                                          \
            size_t base = position(o, s->kept, s->kept_dims, s->kept_strides);           \
            double a = start_of(s->kind);                                                \
            for (size_t r = 0; r < s->count; r += n) {                                   \
                size_t at = base + (inner > 0 ? position(r / n, inner, s->reduced_dims,  \
                                                         s->reduced_strides)             \
                                              : 0);                                      \
                for (size_t i = 0; i < n; i++)                                           \
                    a = add(s->kind, a, (double)x[at + i * step]);                       \
            }                                                                            \
            SUM_EXP(ctype)                                                               \
            y[o] = (ctype)finish(s, a);                                                  \
        }                                                                                \
    }
HST__TYPES_FLOAT(FLOAT_ROWS, )

/** What a logarithm, root or mean becomes as an integer: towards zero, held within s64.
 */
static int64_t whole(double v) {
    if (!(v > -9.2e18))
        return v < 0 ? INT64_MIN : 0;
    return v < 9.2e18 ? (int64_t)v : INT64_MAX;
}

/** Integers: exact where the result fits; logarithms and roots through double. */
#define INT_ROWS(arg, suffix, dtype, ctype)                                              \
    static void rows_##suffix(const reduce_state *s, const void *from, void *to,         \
                              size_t first, size_t last) {                               \
        const ctype *x = from;                                                           \
        ctype *y = to;                                                                   \
        for (size_t o = first; o < last; o++) {                                          \
            size_t base = position(o, s->kept, s->kept_dims, s->kept_strides);           \
            uint64_t sum = 0, product = 1, square = 0;                                   \
            ctype most = 0, least = 0;                                                   \
            double a = start_of(s->kind);                                                \
            for (size_t r = 0; r < s->count; r++) {                                      \
                ctype v = x[base + position(r, s->reduced, s->reduced_dims,              \
                                            s->reduced_strides)];                        \
                most = r == 0 || v > most ? v : most;                                    \
                least = r == 0 || v < least ? v : least;                                 \
                sum += (uint64_t)v;                                                      \
                product *= (uint64_t)v;                                                  \
                square += (uint64_t)v * (uint64_t)v;                                     \
                a = add(s->kind, a, (double)v);                                          \
            }                                                                            \
            SUM_EXP(ctype)                                                               \
            switch (s->kind) {                                                           \
            case HST__REDUCE_SUM:                                                        \
                y[o] = (ctype)sum;                                                       \
                break;                                                                   \
            case HST__REDUCE_PROD:                                                       \
                y[o] = (ctype)product;                                                   \
                break;                                                                   \
            case HST__REDUCE_SUM_SQUARE:                                                 \
                y[o] = (ctype)square;                                                    \
                break;                                                                   \
            case HST__REDUCE_MAX:                                                        \
                y[o] = most;                                                             \
                break;                                                                   \
            case HST__REDUCE_MIN:                                                        \
                y[o] = least;                                                            \
                break;                                                                   \
            default:                                                                     \
                y[o] = (ctype)whole(finish(s, a));                                       \
            }                                                                            \
        }                                                                                \
    }
HST__TYPES_INT(INT_ROWS, )
HST__TYPES_BOOL(INT_ROWS, )

typedef void reduce_rows(const reduce_state *s, const void *from, void *to, size_t first,
                         size_t last);

typedef struct job {
    const reduce_state *s;
    reduce_rows *rows;
    const void *x;
    void *y;
} job;

static void task(void *context, int index, int worker) {
    const job *j = context;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&j->s->pieces, index, &from, &to);
    j->rows(j->s, j->x, j->y, from, to);
}

static void run(const hst__step *step, const hst__run *r) {
    static reduce_rows *const rows[HST__DTYPES] = {
        HST__TYPES_ALL(HST__TYPE_ENTRY, rows_)};
    const reduce_state *s = step->state;
    job j = {s, rows[step->in_desc[0].dtype], hst__in(step, r, 0), hst__out(step, r, 0)};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
}

/* Vector forms for f32 sums, means and maxima. */

typedef struct fast_state {
    hst__reduction kind;
    float (*row)(const float *x, size_t n); /**< rows of n */
    hst__pool_all *columns;                 /**< or columns of [n, inner] */
    size_t n, inner;
    hst__pieces pieces; /**< rows, or outer positions */
} fast_state;

typedef struct fast_job {
    const fast_state *s;
    const float *x;
    float *y;
} fast_job;

static void fast_task(void *context, int index, int worker) {
    const fast_job *j = context;
    const fast_state *s = j->s;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t o = from; o < to; o++) {
        const float *x = j->x + o * s->n * s->inner;
        float *y = j->y + o * s->inner;
        if (s->columns) {
            s->columns(x, y, s->n, s->inner);
            for (size_t i = 0; s->kind == HST__REDUCE_SUM && i < s->inner; i++)
                y[i] *= (float)s->n;
        } else {
            float v = s->row(x, s->n);
            *y = s->kind == HST__REDUCE_MEAN ? v / (float)s->n : v;
        }
    }
}

static void fast_run(const hst__step *step, const hst__run *r) {
    const fast_state *s = step->state;
    fast_job j = {s, hst__in(step, r, 0), hst__out(step, r, 0)};
    hst__pool_run(r->threads, s->pieces.count, fast_task, &j);
}

/** Takes the shapes [rows][n] reduced to [rows], and [outer][n][inner] to [outer][inner];
 * false for all others. */
static bool prepare_fast(hst__op_ctx *c, hst__step *step, const reduce_state *s,
                         bool *ok) {
    const hst__pointwise_f32 *p = hst__pointwise_pick(c->cpu);
    bool max = s->kind == HST__REDUCE_MAX;
    bool row = s->reduced == 1 && s->reduced_strides[0] == 1 && s->kept <= 1;
    bool column = s->reduced == 1 && s->kept >= 1 && s->kept <= 2 &&
                  s->kept_strides[s->kept - 1] == 1 &&
                  s->reduced_strides[0] == s->kept_dims[s->kept - 1];
    *ok = true;
    if (!p || c->in[0].dtype != HST_DTYPE_F32 || (!row && !column) ||
        (!max && s->kind != HST__REDUCE_SUM && s->kind != HST__REDUCE_MEAN))
        return false;
    fast_state *f = hst__op_state(c, sizeof *f);
    *ok = f != NULL;
    if (!f)
        return true;
    f->kind = s->kind;
    f->n = s->count;
    f->inner = row ? 1 : s->kept_dims[s->kept - 1];
    if (row)
        f->row = max ? p->max_row : p->sum_row;
    else
        f->columns =
            max ? hst__pool_pick(c->cpu)->max_all : hst__pool_pick(c->cpu)->average_all;
    f->pieces = hst__pieces_cut(s->outputs / f->inner,
                                0.1 * (double)(f->n * f->inner) + 3, 1, c->threads);
    step->state = f;
    step->kernel = row ? p->name : hst__pool_pick(c->cpu)->name;
    step->run = fast_run;
    return true;
}

hst_status hst__reduce_prepare(hst__op_ctx *c, hst__step *step, hst__reduction kind,
                               int since) {
    axis_set set;
    hst_status st = get_axes(c, since, &set);
    reduce_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    hst_dtype t = c->in[0].dtype;
    if (t == HST_DTYPE_F16 || t == HST_DTYPE_BF16)
        return hst__op_bad_type(c, 0, "f32, f64, integers, bool");
    s->kind = kind;
    merge_loops(&c->in[0], &set, s);
    s->outputs = hst__desc_size(&c->out[0]);
    step->consumed = 2;
    bool ok;
    if (s->outputs > 0 && s->count > 0 && prepare_fast(c, step, s, &ok))
        return ok ? HST_OK : hst__op_nomem(c, sizeof(fast_state));
    s->pieces = hst__pieces_cut(s->outputs, 3 + (double)s->count, 1, c->threads);
    step->state = s;
    step->kernel = "reduce";
    step->run = run;
    return HST_OK;
}
