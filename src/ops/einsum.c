/* Einsum: y[output letters] = sum over the other letters of the product of the inputs.
 * Every letter is a loop; an ellipsis stands for letters of its own, aligned at the
 * right, whose size-1 dimensions broadcast. */
#include <ctype.h>
#include <string.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum {
    ELLIPSIS = 52,                     /* its dimensions are letters 52.. */
    LETTERS = ELLIPSIS + HST_MAX_RANK, /* a-z, A-Z, then the ellipsis */
    INPUTS_MAX = 16,
};

typedef struct einsum_state {
    int n_in, loops, kept; /**< the first `kept` loops are the output's */
    size_t dims[LETTERS];
    size_t stride[INPUTS_MAX][LETTERS]; /**< by loop */
    size_t outputs, terms;
    double visits; /**< of the innermost loop, all together */
    hst__pieces pieces;
} einsum_state;

typedef struct equation {
    int8_t letters[INPUTS_MAX + 1]
                  [2 * HST_MAX_RANK]; /**< of each input, then the output */
    int count[INPUTS_MAX + 1];
    int64_t dims[LETTERS]; /**< -1: not used */
    int n_in, ellipsis;    /**< dimensions that "..." stands for */
} equation;

static int letter_of(char ch) {
    return islower((unsigned char)ch) ? ch - 'a' : ch - 'A' + 26;
}

static hst_status malformed(hst__op_ctx *c) {
    return hst__op_fail(c, HST_E_FORMAT, "equation '%.100s' is malformed",
                        hst__attr_string(c->node, "equation", ""));
}

/** One term up to ',' or '-' or the end; "..." becomes letter -1. */
static const char *read_term(const char *p, int8_t *letters, int *count) {
    *count = 0;
    for (; *p && *p != ',' && *p != '-'; p++) {
        if (*p == ' ')
            continue;
        if (*count >= HST_MAX_RANK + 1)
            return NULL;
        if (strncmp(p, "...", 3) == 0) {
            letters[(*count)++] = -1;
            p += 2;
        } else if (isalpha((unsigned char)*p)) {
            letters[(*count)++] = (int8_t)letter_of(*p);
        } else {
            return NULL;
        }
    }
    return p;
}

/** Replaces the ellipsis of a term by `n` letters, the last of those reserved for it. */
static bool spread(int8_t *letters, int *count, int n, int widest) {
    int8_t out[2 * HST_MAX_RANK];
    int k = 0, seen = 0;
    for (int i = 0; i < *count; i++) {
        if (letters[i] >= 0) {
            out[k++] = letters[i];
            continue;
        }
        if (seen++)
            return false;
        for (int e = 0; e < n; e++)
            out[k++] = (int8_t)(ELLIPSIS + widest - n + e);
        if (k > HST_MAX_RANK)
            return false;
    }
    memcpy(letters, out, (size_t)k);
    *count = k;
    return k <= HST_MAX_RANK;
}

static bool has_ellipsis(const int8_t *letters, int count) {
    return memchr(letters, (unsigned char)-1, (size_t)count) != NULL;
}

static hst_status read_inputs(hst__op_ctx *c, equation *e, const char **rest) {
    const char *p = hst__attr_string(c->node, "equation", "");
    for (int i = 0; i < e->n_in; i++) {
        p = read_term(p, e->letters[i], &e->count[i]);
        if (!p || (i + 1 < e->n_in ? *p++ != ',' : *p == ','))
            return malformed(c);
        int named = e->count[i] - has_ellipsis(e->letters[i], e->count[i]);
        int left = c->in[i].rank - named;
        if (has_ellipsis(e->letters[i], e->count[i]) ? left < 0 : left != 0)
            return hst__op_fail(c, HST_E_SHAPE,
                                "input %d of rank %d does not fit the equation", i,
                                c->in[i].rank);
        e->ellipsis = left > e->ellipsis ? left : e->ellipsis;
    }
    *rest = p;
    for (int i = 0; i < e->n_in; i++) {
        int named = e->count[i] - has_ellipsis(e->letters[i], e->count[i]);
        if (!spread(e->letters[i], &e->count[i], c->in[i].rank - named, e->ellipsis))
            return malformed(c);
        for (int d = 0; d < e->count[i]; d++) {
            int64_t *size = &e->dims[e->letters[i][d]], given = c->in[i].dims[d];
            if (*size < 0 || *size == 1)
                *size = given;
            else if (given != *size && given != 1)
                return hst__op_fail(c, HST_E_SHAPE,
                                    "dimension %d of input %d is %lld, not "
                                    "%lld",
                                    d, i, (long long)given, (long long)*size);
        }
    }
    return HST_OK;
}

/** Without "->": the ellipsis, then the letters that stand once, in alphabetical order.
 */
static void implicit_output(equation *e) {
    int uses[LETTERS] = {0}, n = 0;
    int8_t *out = e->letters[e->n_in];
    for (int i = 0; i < e->n_in; i++)
        for (int d = 0; d < e->count[i]; d++)
            uses[e->letters[i][d]]++;
    for (int k = 0; k < e->ellipsis; k++)
        out[n++] = (int8_t)(ELLIPSIS + k);
    for (int pass = 26; pass >= 0; pass -= 26) /* capitals come first in ASCII */
        for (int k = pass; k < pass + 26 && n < HST_MAX_RANK; k++)
            if (uses[k] == 1)
                out[n++] = (int8_t)k;
    e->count[e->n_in] = n;
}

static hst_status read_equation(hst__op_ctx *c, equation *e) {
    const char *p = "";
    memset(e, 0, sizeof *e);
    for (int k = 0; k < LETTERS; k++)
        e->dims[k] = -1;
    e->n_in = c->n_in;
    if (c->n_in > INPUTS_MAX)
        return hst__op_fail(c, HST_E_LIMIT, "%d inputs; at most %d", c->n_in, INPUTS_MAX);
    hst_status st = hst__types_need(c, c->n_in);
    for (int i = 1; !st && i < c->n_in; i++)
        st = hst__types_equal(c, 0, i);
    if (!st)
        st = read_inputs(c, e, &p);
    if (st)
        return st;
    int8_t *out = e->letters[c->n_in];
    int *n = &e->count[c->n_in];
    if (!*p) {
        implicit_output(e);
        return HST_OK;
    }
    if (p[0] != '-' || p[1] != '>' || !(p = read_term(p + 2, out, n)) || *p ||
        !spread(out, n, e->ellipsis, e->ellipsis))
        return malformed(c);
    for (int i = 0; i < *n; i++) {
        if (e->dims[out[i]] < 0)
            return malformed(c);
        for (int k = i + 1; k < *n; k++)
            if (out[k] == out[i])
                return malformed(c);
    }
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    equation e;
    int64_t dims[HST_MAX_RANK];
    hst_status st = read_equation(c, &e);
    if (st)
        return st;
    for (int i = 0; i < e.count[e.n_in]; i++)
        dims[i] = e.dims[e.letters[e.n_in][i]];
    return hst__op_set_out(c, 0, c->in[0].dtype, e.count[e.n_in], dims);
}

/** Loops of the output first, then those that are summed over. */
static void build_loops(const hst__op_ctx *c, const equation *e, einsum_state *s) {
    int loop_of[LETTERS], order[LETTERS];
    for (int k = 0; k < LETTERS; k++)
        loop_of[k] = -1;
    s->n_in = e->n_in;
    for (int i = 0; i < e->count[e->n_in]; i++) {
        loop_of[e->letters[e->n_in][i]] = s->loops;
        order[s->loops++] = e->letters[e->n_in][i];
    }
    s->kept = s->loops;
    for (int k = 0; k < LETTERS; k++)
        if (e->dims[k] >= 0 && loop_of[k] < 0) {
            loop_of[k] = s->loops;
            order[s->loops++] = k;
        }
    s->outputs = s->terms = 1;
    s->visits = 1;
    for (int i = 0; i < s->loops; i++) {
        s->dims[i] = (size_t)e->dims[order[i]];
        *(i < s->kept ? &s->outputs : &s->terms) *= s->dims[i];
        s->visits *= (double)s->dims[i];
    }
    for (int i = 0; i < e->n_in; i++) {
        int64_t strides[HST_MAX_RANK];
        hst__desc_strides(&c->in[i], strides);
        for (int d = 0; d < e->count[i]; d++)
            if (c->in[i].dims[d] != 1) /* a letter that stands twice walks a diagonal */
                s->stride[i][loop_of[e->letters[i][d]]] += (size_t)strides[d];
    }
}

/** Offsets of each input at position `index` of the loops from..to-1, added to at. */
static void seek(const einsum_state *s, size_t index, int from, int to, size_t *at) {
    for (int l = to - 1; l >= from; l--) {
        size_t k = index % s->dims[l];
        index /= s->dims[l];
        for (int i = 0; i < s->n_in; i++)
            at[i] += k * s->stride[i][l];
    }
}

#define EINSUM_ROWS(sum_type, suffix, dtype, ctype)                                      \
    static void rows_##suffix(const hst__step_job *j, size_t from, size_t to) {          \
        const einsum_state *s = j->step->state;                                          \
        ctype *y = hst__out(j->step, j->run, 0);                                         \
        const ctype *x[INPUTS_MAX];                                                      \
        for (int i = 0; i < s->n_in; i++)                                                \
            x[i] = hst__in(j->step, j->run, i);                                          \
        for (size_t o = from; o < to; o++) {                                             \
            size_t base[INPUTS_MAX] = {0};                                               \
            sum_type sum = 0;                                                            \
            seek(s, o, 0, s->kept, base);                                                \
            for (size_t t = 0; t < s->terms; t++) {                                      \
                size_t at[INPUTS_MAX];                                                   \
                sum_type product = 1;                                                    \
                memcpy(at, base, sizeof at);                                             \
                seek(s, t, s->kept, s->loops, at);                                       \
                for (int i = 0; i < s->n_in; i++)                                        \
                    product *= (sum_type)x[i][at[i]];                                    \
                sum += product;                                                          \
            }                                                                            \
            y[o] = (ctype)sum;                                                           \
        }                                                                                \
    }
HST__TYPES_FLOAT(EINSUM_ROWS, double)
HST__TYPES_INT(EINSUM_ROWS, uint64_t)

typedef void einsum_rows(const hst__step_job *j, size_t from, size_t to);

static einsum_rows *const rows[HST__DTYPES] = {HST__TYPES_NUMBER(HST__TYPE_ENTRY, rows_)};

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    size_t from, to;
    (void)worker;
    hst__pieces_get(&((const einsum_state *)j->step->state)->pieces, index, &from, &to);
    rows[j->step->in_desc[0].dtype](j, from, to);
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const einsum_state *)step->state)->pieces.count, task,
                  &j);
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    equation e;
    einsum_state *s = hst__op_state(c, sizeof *s);
    hst_status st = s ? read_equation(c, &e) : hst__op_nomem(c, sizeof *s);
    if (st)
        return st;
    if (!rows[c->in[0].dtype])
        return hst__op_bad_type(c, 0, "f32, f64, integers");
    build_loops(c, &e, s);
    s->pieces = hst__pieces_cut(s->outputs, 5.0 * (double)s->terms, 1, c->threads);
    step->macs = s->visits;
    step->ns = (4 + 4 * (double)s->n_in) * s->visits;
    step->kernel = "einsum_loops";
    step->state = s;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_Einsum = {12, HST__OPSET_MAX, 1,     HST__OP_VARIADIC, 1,
                                1,  false,          infer, prepare};
