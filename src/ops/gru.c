/* GRU: gates z, r, h in this order; f = sigmoid, g = tanh. With linear_before_reset the
 * reset gate scales R h, else the h that goes into it. */
#include "ops/recurrent.h"
#include "ops/unary.h"

static const hst__act sigmoid = {.kind = HST__ACT_SIGMOID},
                      tangent = {.kind = HST__ACT_TANH};

/** Gates z and r of the pre-activations in x and r, into r. */
static void open_gates(const hst__recurrent_cell *a) {
    size_t n = a->s->hidden;
    for (size_t k = 0; k < 2 * n; k++)
        a->r[k] += a->x[k] + (a->bias_r ? a->bias_r[k] : 0);
    a->s->sigmoid(a->r, 2 * n, &sigmoid);
}

/** h' = (1 - z) tanh(candidate) + z h; the candidate is in the third part of r. */
static void blend(const hst__recurrent_cell *a) {
    size_t n = a->s->hidden;
    float *z = a->r, *g = a->r + 2 * n;
    a->s->tanh(g, n, &tangent);
    for (size_t k = 0; k < n; k++)
        a->h[k] = (1 - z[k]) * g[k] + z[k] * a->h[k];
}

static void reset_after(const hst__recurrent_cell *a) {
    size_t n = a->s->hidden;
    float *r = a->r + n, *g = r + n;
    open_gates(a);
    for (size_t k = 0; k < n; k++)
        g[k] = a->x[2 * n + k] + r[k] * (g[k] + (a->bias_r ? a->bias_r[2 * n + k] : 0));
    blend(a);
}

static void reset_before(const hst__recurrent_cell *a, float *changed) {
    size_t n = a->s->hidden;
    open_gates(a);
    for (size_t k = 0; k < n; k++)
        changed[k] = a->r[n + k] * a->h[k];
}

static void finish_before(const hst__recurrent_cell *a) {
    size_t n = a->s->hidden;
    for (size_t k = 2 * n; k < 3 * n; k++)
        a->r[k] += a->x[k] + (a->bias_r ? a->bias_r[k] : 0);
    blend(a);
}

static hst_status read(hst__op_ctx *c, hst__recurrent *s) {
    *s = (hst__recurrent){.gates = 3, .split_bias = true, .cell = reset_after};
    if (!hst__attr_int(c->node, "linear_before_reset", 0)) {
        s->late_gates = 1;
        s->between = reset_before;
        s->cell = finish_before;
    }
    return hst__recurrent_read(c, s, "Sigmoid Tanh");
}

static hst_status infer(hst__op_ctx *c) { return hst__recurrent_infer(c, read); }

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    return hst__recurrent_prepare(c, step, read);
}

const hst__op hst__op_GRU = {7, HST__OPSET_MAX, 3, 6, 0, 2, false, infer, prepare};
