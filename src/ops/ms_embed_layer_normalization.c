/* com.microsoft EmbedLayerNormalization: word + position (+ segment) embeddings,
 * normalised; and the length of each sequence from its mask. */
#include <string.h>

#include "kernels/rows.h"
#include "ops/index.h"
#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { IDS, SEGMENTS, WORDS, POSITIONS, SEGMENT_TABLE, GAMMA, BETA, MASK, POSITION_IDS };
enum { OUT, MASK_INDEX, SUM };

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__op_has(c, IDS) && hst__op_has(c, WORDS) &&
                            hst__op_has(c, POSITIONS) && hst__op_has(c, GAMMA) &&
                            hst__op_has(c, BETA)
                        ? HST_OK
                        : hst__op_fail(c, HST_E_FORMAT, "an input is missing");
    if (st)
        return st;
    if (c->in[IDS].rank != 2 || c->in[WORDS].rank != 2)
        return hst__op_fail(c, HST_E_SHAPE, "ids of rank %d, a table of rank %d",
                            c->in[IDS].rank, c->in[WORDS].rank);
    int64_t dims[3] = {c->in[IDS].dims[0], c->in[IDS].dims[1], c->in[WORDS].dims[1]};
    for (int i = POSITIONS; i <= BETA; i++)
        if (hst__op_has(c, i) && (c->in[i].rank < 1 || c->in[i].dtype != HST_DTYPE_F32 ||
                                  c->in[i].dims[c->in[i].rank - 1] != dims[2]))
            return hst__op_fail(c, HST_E_SHAPE, "input %d does not fit %lld features", i,
                                (long long)dims[2]);
    st = hst__op_set_out(c, OUT, HST_DTYPE_F32, 3, dims);
    if (!st && hst__op_wants(c, MASK_INDEX))
        st = hst__op_set_out(c, MASK_INDEX, HST_DTYPE_S32, 1, dims);
    if (!st && hst__op_wants(c, SUM))
        st = hst__op_set_out(c, SUM, HST_DTYPE_F32, 3, dims);
    return st;
}

typedef struct embed_state {
    size_t batch, length, n;
    float eps;
    hst__norm_row *norm;
    hst__pieces pieces; /**< tokens */
} embed_state;

static int64_t id_at(const hst__step_job *j, int input, size_t i) {
    const void *p = hst__in(j->step, j->run, input);
    return j->step->in_desc[input].dtype == HST_DTYPE_S64 ? ((const int64_t *)p)[i]
                                                          : ((const int32_t *)p)[i];
}

static void add_row(const hst__step_job *j, int table, int64_t id, float *y, size_t n) {
    const float *t = hst__in(j->step, j->run, table);
    if (!t)
        return;
    if (id < 0 || id >= j->step->in_desc[table].dims[0]) {
        hst__index_outside(j->step, j->run);
        return;
    }
    for (size_t i = 0; i < n; i++)
        y[i] += t[(size_t)id * n + i];
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const embed_state *s = j->step->state;
    float *y = hst__out(j->step, j->run, OUT), *sum = hst__out(j->step, j->run, SUM);
    size_t from, to;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t t = from; t < to; t++) {
        float *row = (sum ? sum : y) + t * s->n;
        memset(row, 0, s->n * sizeof *row);
        add_row(j, WORDS, id_at(j, IDS, t), row, s->n);
        bool own = hst__in(j->step, j->run, POSITION_IDS);
        size_t p = own && hst__desc_size(&j->step->in_desc[POSITION_IDS]) == s->length
                       ? t % s->length
                       : t;
        add_row(j, POSITIONS, own ? id_at(j, POSITION_IDS, p) : (int64_t)(t % s->length),
                row, s->n);
        if (hst__in(j->step, j->run, SEGMENTS))
            add_row(j, SEGMENT_TABLE, id_at(j, SEGMENTS, t), row, s->n);
        hst__norm_row_args a = {.x = row,
                                .gamma = hst__in(j->step, j->run, GAMMA),
                                .beta = hst__in(j->step, j->run, BETA),
                                .y = y + t * s->n,
                                .n = s->n,
                                .eps = s->eps,
                                .centre = true};
        s->norm(&a);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    const embed_state *s = step->state;
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, s->pieces.count, task, &j);
    int32_t *lengths = hst__out(step, r, MASK_INDEX);
    for (size_t b = 0; lengths && b < s->batch; b++) {
        lengths[b] = 0;
        for (size_t i = 0; hst__in(step, r, MASK) && i < s->length; i++)
            lengths[b] += id_at(&j, MASK, b * s->length + i) == 1;
    }
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    static const int integers[] = {IDS, SEGMENTS, MASK, POSITION_IDS};
    embed_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int at = integers[i];
        if (!hst__op_has(c, at))
            continue;
        if (c->in[at].dtype != HST_DTYPE_S32 && c->in[at].dtype != HST_DTYPE_S64)
            return hst__op_bad_type(c, at, "s32, s64");
        size_t n = hst__desc_size(&c->in[at]);
        if (n != hst__desc_size(&c->in[IDS]) &&
            (at != POSITION_IDS || n != (size_t)c->in[IDS].dims[1]))
            return hst__op_fail(c, HST_E_SHAPE, "input %d does not fit the ids", at);
    }
    *s = (embed_state){.batch = (size_t)c->in[IDS].dims[0],
                       .length = (size_t)c->in[IDS].dims[1],
                       .n = (size_t)c->out[0].dims[2],
                       .eps = hst__attr_float(c->node, "epsilon", 1e-12f),
                       .norm = hst__rows_pick(c->cpu)->norm};
    s->pieces = hst__pieces_cut(s->n ? s->batch * s->length : 0, 1.5 * (double)s->n, 1,
                                c->threads);
    step->state = s;
    step->kernel = "embed_norm";
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_ms_EmbedLayerNormalization = {1, HST__OPSET_MAX, 7,     9,      1,
                                                    3, false,          infer, prepare};
