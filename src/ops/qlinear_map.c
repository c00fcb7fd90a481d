#include "ops/qlinear_map.h"

#include "ops/broadcast.h"
#include "ops/quant.h"
#include "ops/types.h"
#include "ops/unary.h"

static bool is_byte(hst_dtype t) { return t == HST_DTYPE_U8 || t == HST_DTYPE_S8; }

static hst_status check_bytes(hst__op_ctx *c, const int *inputs, int n) {
    for (int i = 0; i < n; i++)
        if (!hst__op_has(c, inputs[i]) || !is_byte(c->in[inputs[i]].dtype))
            return hst__op_fail(c, HST_E_UNSUPPORTED, "input %d must be u8 or s8",
                                inputs[i]);
    return HST_OK;
}

static hst_status check_scales(hst__op_ctx *c, const int *inputs, int n) {
    for (int i = 0; i < n; i++)
        if (!hst__op_has(c, inputs[i]) || c->in[inputs[i]].dtype != HST_DTYPE_F32 ||
            hst__desc_size(&c->in[inputs[i]]) != 1)
            return hst__op_fail(c, HST_E_UNSUPPORTED, "input %d must be one f32 scale",
                                inputs[i]);
    return HST_OK;
}

enum { X, X_SCALE, X_ZERO, Y_SCALE, Y_ZERO };

hst_status hst__qlinear_unary_infer(hst__op_ctx *c) {
    static const int bytes[] = {X}, scales[] = {X_SCALE, Y_SCALE};
    hst_status st = check_bytes(c, bytes, 1);
    if (!st)
        st = check_scales(c, scales, 2);
    return st ? st : hst__unary_infer(c);
}

typedef struct unary_param {
    hst__qlinear_fn *fn;
    float param;
} unary_param;

/** The table is made at each run: 256 entries, whatever the tensor. */
static void run_unary(const hst__step *step, const hst__run *r) {
    const unary_param *p = step->state;
    hst_dtype t = step->in_desc[X].dtype;
    int64_t low = 0, high = 0;
    uint8_t table[256];
    float xs = *(const float *)hst__in(step, r, X_SCALE);
    float ys = *(const float *)hst__in(step, r, Y_SCALE);
    int32_t xz = hst__quant_zero(step, r, X_ZERO, 0),
            yz = hst__quant_zero(step, r, Y_ZERO, 0);
    hst__quant_range(t, &low, &high);
    for (int i = 0; i < 256; i++) {
        int32_t q = t == HST_DTYPE_S8 ? (int8_t)i : i;
        float v = p->fn((float)(q - xz) * xs, 0, p->param);
        table[i] = (uint8_t)hst__quant_round(v / ys, yz, low, high);
    }
    const uint8_t *x = hst__in(step, r, X);
    uint8_t *y = hst__out(step, r, 0);
    for (size_t i = 0, n = hst__desc_size(&step->in_desc[X]); i < n; i++)
        y[i] = table[x[i]];
}

hst_status hst__qlinear_unary_prepare(hst__op_ctx *c, hst__step *step,
                                      hst__qlinear_fn *fn, float param) {
    unary_param *p = hst__op_state(c, sizeof *p);
    if (!p)
        return hst__op_nomem(c, sizeof *p);
    *p = (unary_param){fn, param};
    step->state = p;
    step->in_place = 1;
    step->kernel = "table_u8";
    step->run = run_unary;
    return HST_OK;
}

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, C_SCALE, C_ZERO };

hst_status hst__qlinear_binary_infer(hst__op_ctx *c) {
    static const int bytes[] = {A, B}, scales[] = {A_SCALE, B_SCALE, C_SCALE};
    hst__desc out;
    hst_status st = check_bytes(c, bytes, 2);
    if (!st)
        st = check_scales(c, scales, 3);
    if (!st)
        st = hst__op_broadcast(c, &c->in[A], &c->in[B], &out);
    return st ? st : hst__op_set_out(c, 0, c->in[A].dtype, out.rank, out.dims);
}

typedef struct binary_state {
    hst__qlinear_fn *fn;
    hst__bcast walk;
    size_t count;
} binary_state;

static void run_binary(const hst__step *step, const hst__run *r) {
    const binary_state *s = step->state;
    const hst__bcast *w = &s->walk;
    hst_dtype ta = step->in_desc[A].dtype, tb = step->in_desc[B].dtype;
    int64_t low = 0, high = 0;
    hst__bcast_at at;
    float as = *(const float *)hst__in(step, r, A_SCALE);
    float bs = *(const float *)hst__in(step, r, B_SCALE);
    float ys = *(const float *)hst__in(step, r, C_SCALE);
    int32_t az = hst__quant_zero(step, r, A_ZERO, 0),
            bz = hst__quant_zero(step, r, B_ZERO, 0);
    int32_t yz = hst__quant_zero(step, r, C_ZERO, 0);
    const void *a = hst__in(step, r, A), *b = hst__in(step, r, B);
    void *y = hst__out(step, r, 0);
    hst__quant_range(ta, &low, &high);
    hst__bcast_seek(w, 0, &at);
    for (size_t i = 0; i < s->count; hst__bcast_next(w, &at))
        for (size_t k = 0; k < w->row; k++, i++) {
            float va =
                (float)(hst__quant_load(ta, a, at.offset[0] + k * w->inner[0]) - az) * as;
            float vb =
                (float)(hst__quant_load(tb, b, at.offset[1] + k * w->inner[1]) - bz) * bs;
            hst__quant_store(ta, y, i,
                             hst__quant_round(s->fn(va, vb, 0) / ys, yz, low, high));
        }
}

hst_status hst__qlinear_binary_prepare(hst__op_ctx *c, hst__step *step,
                                       hst__qlinear_fn *fn) {
    binary_state *s = hst__op_state(c, sizeof *s);
    const hst__desc in[2] = {c->in[A], c->in[B]};
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    s->fn = fn;
    s->count = hst__desc_size(&c->out[0]);
    if (s->count)
        hst__bcast_init(&s->walk, &c->out[0], in, 2);
    step->state = s;
    step->run = run_binary;
    return HST_OK;
}
