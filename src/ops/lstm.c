/* LSTM: gates i, o, f, c in this order; f = sigmoid, g = h = tanh. */
#include "ops/recurrent.h"
#include "ops/unary.h"

static const hst__act sigmoid = {.kind = HST__ACT_SIGMOID},
                      tangent = {.kind = HST__ACT_TANH};

static void cell(const hst__recurrent_cell *a) {
    size_t n = a->s->hidden;
    float *i = a->r, *o = i + n, *f = o + n, *g = f + n;
    const float *p = a->peep; /* for i, o, f */
    for (size_t k = 0; k < 4 * n; k++)
        a->r[k] += a->x[k];
    for (size_t k = 0; p && k < n; k++) {
        i[k] += p[k] * a->c[k];
        f[k] += p[2 * n + k] * a->c[k];
    }
    a->s->sigmoid(i, n, &sigmoid);
    a->s->sigmoid(f, n, &sigmoid);
    a->s->tanh(g, n, &tangent);
    for (size_t k = 0; k < n; k++) {
        a->c[k] = f[k] * a->c[k] + i[k] * g[k];
        a->h[k] = a->c[k];
        o[k] += p ? p[n + k] * a->c[k] : 0;
    }
    a->s->sigmoid(o, n, &sigmoid);
    a->s->tanh(a->h, n, &tangent);
    for (size_t k = 0; k < n; k++)
        a->h[k] *= o[k];
}

static hst_status read(hst__op_ctx *c, hst__recurrent *s) {
    *s = (hst__recurrent){.gates = 4, .cell_state = true, .cell = cell};
    return hst__recurrent_read(c, s, "Sigmoid Tanh Tanh");
}

static hst_status infer(hst__op_ctx *c) { return hst__recurrent_infer(c, read); }

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    return hst__recurrent_prepare(c, step, read);
}

const hst__op hst__op_LSTM = {7, HST__OPSET_MAX, 3, 8, 0, 3, false, infer, prepare};
