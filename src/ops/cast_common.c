/* Two steps: any type to double or s64 or u64, whichever holds it, and that to any type.
 * Floats go to integers towards zero, out of range to the nearest that fits; integers
 * wrap. */
#include "ops/cast_common.h"

#include <math.h>
#include <string.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "tensor/half.h"

typedef struct number {
    double f;
    uint64_t i;
    bool floating;
} number;

static number load(hst_dtype t, const char *p) {
    number n = {0};
#define LOAD(arg, suffix, dtype, ctype)                                                  \
    case dtype: {                                                                        \
        ctype v;                                                                         \
        memcpy(&v, p, sizeof v);                                                         \
        n.i = (uint64_t)v;                                                               \
        n.f = (double)v;                                                                 \
        break;                                                                           \
    }
    uint16_t h;
    float f;
    switch (t) {
        HST__TYPES_INT(LOAD, )
    case HST_DTYPE_BOOL:
        n.i = *p != 0;
        n.f = n.i ? 1 : 0;
        break;
    case HST_DTYPE_F32:
        memcpy(&f, p, sizeof f);
        n = (number){.f = (double)f, .floating = true};
        break;
    case HST_DTYPE_F64:
        memcpy(&n.f, p, sizeof n.f);
        n.floating = true;
        break;
    default:
        memcpy(&h, p, sizeof h);
        f = t == HST_DTYPE_F16 ? hst__f16_to_f32(h) : hst__bf16_to_f32(h);
        n = (number){.f = (double)f, .floating = true};
    }
    return n;
#undef LOAD
}

/** Towards zero; NaN gives 0, what is out of range the nearest that fits. */
static uint64_t to_integer(double f, double low, double high) {
    if (!(f > low))
        return f <= low ? (uint64_t)(int64_t)low : 0;
    if (f >= high)
        return high >= 18446744073709551615.0  ? UINT64_MAX
               : high >= 9223372036854775807.0 ? (uint64_t)INT64_MAX
                                               : (uint64_t)high;
    return f < 0 ? (uint64_t)(int64_t)f : (uint64_t)f;
}

static void store(hst_dtype t, const number *n, char *p) {
#define STORE(low, suffix, dtype, ctype)                                                 \
    case dtype: {                                                                        \
        const int bits = (int)sizeof(ctype) * 8 - ((low) != 0);                          \
        double least = (low)*ldexp(1, bits), most = ldexp(1, bits) - 1;                  \
        ctype v = (ctype)(n->floating ? to_integer(n->f, least, most) : n->i);           \
        memcpy(p, &v, sizeof v);                                                         \
        break;                                                                           \
    }
    uint16_t h;
    float f = (float)n->f;
    switch (t) {
        HST__TYPES_SIGNED(STORE, -1)
        HST__TYPES_UNSIGNED(STORE, 0)
    case HST_DTYPE_BOOL:
        *p = n->floating ? n->f != 0 : n->i != 0;
        break;
    case HST_DTYPE_F32:
        memcpy(p, &f, sizeof f);
        break;
    case HST_DTYPE_F64:
        memcpy(p, &n->f, sizeof n->f);
        break;
    default:
        h = t == HST_DTYPE_F16 ? hst__f32_to_f16(f) : hst__f32_to_bf16(f);
        memcpy(p, &h, sizeof h);
    }
#undef STORE
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const hst__pieces *pieces = j->step->state;
    hst_dtype from = j->step->in_desc[0].dtype, to = j->step->out_desc[0].dtype;
    const char *x = hst__in(j->step, j->run, 0);
    char *y = hst__out(j->step, j->run, 0);
    size_t first, last, fs = hst_dtype_size(from), ts = hst_dtype_size(to);
    (void)worker;
    hst__pieces_get(pieces, index, &first, &last);
    for (size_t i = first; i < last; i++) {
        number n = load(from, x + i * fs);
        store(to, &n, y + i * ts);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const hst__pieces *)step->state)->count, task, &j);
}

hst_status hst__cast_prepare(hst__op_ctx *c, hst__step *s) {
    if (c->in[0].dtype == c->out[0].dtype) {
        s->alias = 1;
        return HST_OK;
    }
    hst__pieces *pieces = hst__op_state(c, sizeof *pieces);
    if (!pieces)
        return hst__op_nomem(c, sizeof *pieces);
    *pieces = hst__pieces_cut(hst__desc_size(&c->in[0]), 3, 64, c->threads);
    s->state = pieces;
    s->unaligned = 1;
    s->kernel = "cast";
    s->run = run;
    return HST_OK;
}
