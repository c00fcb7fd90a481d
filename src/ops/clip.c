#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/activation.h"
#include "ops/pieces.h"

/* Bounds are attributes before opset 11, scalar inputs since. Where they are known before
 * the run, f32 takes the activation's kernel. With min above max, max wins. */

enum { WIDEST = 8 };

typedef void clip_row(void *y, const void *x, size_t n, const void *lo, const void *hi);

#define CLIP_ROW(arg, suffix, dtype, ctype)                                              \
    static void clip_##suffix(void *y, const void *from, size_t n, const void *plo,      \
                              const void *phi) {                                         \
        ctype *o = y;                                                                    \
        const ctype *x = from;                                                           \
        const ctype lo = *(const ctype *)plo, hi = *(const ctype *)phi;                  \
        for (size_t i = 0; i < n; i++) {                                                 \
            ctype v = x[i] < lo ? lo : x[i];                                             \
            o[i] = v > hi ? hi : v;                                                      \
        }                                                                                \
    }
HST__TYPES_NUMBER(CLIP_ROW, )

typedef struct clip_state {
    clip_row *row;
    size_t size;
    _Alignas(WIDEST) char lo[WIDEST], hi[WIDEST]; /**< where the input is absent */
    hst__pieces pieces;
} clip_state;

typedef struct clip_job {
    const clip_state *st;
    const char *x;
    char *y;
    const void *lo, *hi;
} clip_job;

static void clip_task(void *context, int index, int worker) {
    const clip_job *j = context;
    size_t from, to, size = j->st->size;
    (void)worker;
    hst__pieces_get(&j->st->pieces, index, &from, &to);
    j->st->row(j->y + from * size, j->x + from * size, to - from, j->lo, j->hi);
}

static void clip_run(const hst__step *s, const hst__run *r) {
    const clip_state *st = s->state;
    const void *lo = hst__in(s, r, 1), *hi = hst__in(s, r, 2);
    clip_job job = {.st = st,
                    .x = hst__in(s, r, 0),
                    .y = hst__out(s, r, 0),
                    .lo = lo ? lo : st->lo,
                    .hi = hi ? hi : st->hi};
    hst__pool_run(r->threads, st->pieces.count, clip_task, &job);
}

/** The widest bounds of a type, or the attributes of older opsets. */
static void default_bounds(const hst__op_ctx *c, clip_state *st) {
    union {
        float f;
        double d;
        int64_t i;
        uint64_t u;
    } lo = {.u = 0}, hi = {.u = 0};
    int bits = (int)st->size * 8;
    switch (c->in[0].dtype) {
    case HST_DTYPE_F32:
        lo.f = hst__attr_float(c->node, "min", -INFINITY);
        hi.f = hst__attr_float(c->node, "max", INFINITY);
        break;
    case HST_DTYPE_F64:
        lo.d = hst__attr_float(c->node, "min", -INFINITY);
        hi.d = hst__attr_float(c->node, "max", INFINITY);
        break;
    case HST_DTYPE_U8:
    case HST_DTYPE_U16:
    case HST_DTYPE_U32:
    case HST_DTYPE_U64:
        hi.u = UINT64_MAX >> (64 - bits);
        break;
    default: /* two's complement, little-endian: the low bytes are the value */
        hi.u = UINT64_MAX >> (65 - bits);
        lo.u = ~hi.u;
    }
    memcpy(st->lo, &lo, st->size);
    memcpy(st->hi, &hi, st->size);
}

static hst_status infer(hst__op_ctx *c) {
    for (int i = 1; i < 3; i++) {
        if (!hst__op_has(c, i))
            continue;
        hst_status st = hst__types_equal(c, 0, i);
        if (st)
            return st;
        if (hst__desc_size(&c->in[i]) != 1)
            return hst__op_fail(c, HST_E_SHAPE, "input %d must be a scalar", i);
    }
    return hst__unary_infer(c);
}

/** True where both bounds are known; they are left in *act. */
static bool known_bounds(hst__op_ctx *c, const clip_state *st, hst__act *act) {
    float *bound[2] = {&act->a, &act->b};
    act->kind = HST__ACT_CLIP;
    memcpy(&act->a, st->lo, sizeof act->a);
    memcpy(&act->b, st->hi, sizeof act->b);
    for (int i = 1; i < 3; i++) {
        if (!hst__op_has(c, i))
            continue;
        if (!c->in_const[i])
            return false;
        memcpy(bound[i - 1], c->in_const[i]->data, sizeof(float));
    }
    return true;
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static clip_row *const rows[HST__DTYPES] = {HST__TYPES_NUMBER(HST__TYPE_ENTRY, clip_)};
    uint32_t supported = 0;
    hst__act act;
    for (int d = 0; d < HST__DTYPES; d++)
        supported |= rows[d] ? 1u << d : 0;
    if (!rows[c->in[0].dtype])
        return hst__types_refuse(c, 0, supported);
    clip_state *st = hst__op_state(c, sizeof *st);
    if (!st)
        return hst__op_nomem(c, sizeof *st);
    st->row = rows[c->in[0].dtype];
    st->size = hst_dtype_size(c->in[0].dtype);
    default_bounds(c, st);
    if (c->in[0].dtype == HST_DTYPE_F32 && known_bounds(c, st, &act)) {
        s->consumed = 6;
        return hst__activation_prepare(c, s, act);
    }
    st->pieces =
        hst__pieces_cut(hst__desc_size(&c->out[0]), HST__NS_CHEAP, 64, c->threads);
    s->state = st;
    s->run = clip_run;
    s->in_place = 1;
    return HST_OK;
}

const hst__op hst__op_Clip = {7, HST__OPSET_MAX, 1, 3, 1, 1, false, infer, prepare};
