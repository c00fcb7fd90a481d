/* Conv followed by BatchNormalization:
 *     gamma * (conv(x) + b - mean) / sqrt(var + eps) + beta
 * becomes a factor s = gamma / sqrt(var + eps) per output channel, applied when the
 * weights are packed (so that no second copy of them exists), and the bias (b - mean) * s
 * + beta. */
#include <math.h>
#include <string.h>

#include "passes/match.h"

enum { BN_SCALE = 1, BN_BIAS, BN_MEAN, BN_VAR, CONV_BIAS = 2, CONV_WSCALE = 4 };

static const float *floats(const hst__graph *g, hst__value_id v, int64_t n) {
    const hst_tensor *t = v == HST__NONE ? NULL : g->values[v].constant;
    bool fits = t && t->desc.dtype == HST_DTYPE_F32 && (int64_t)hst_tensor_count(t) == n;
    return fits ? t->data : NULL;
}

static float load(const float *p, int64_t i) {
    float x;
    memcpy(&x, (const char *)p + 4 * i, sizeof x); /* may lie unaligned in a file map */
    return x;
}

static bool fits(const hst__graph *g, const hst__node *bn, const hst__node *conv,
                 int64_t n) {
    for (int i = BN_SCALE; i <= BN_VAR; i++)
        if (!floats(g, bn->in[i], n))
            return false;
    for (int i = 1; i < bn->n_out; i++)
        if (bn->out[i] != HST__NONE)
            return false;
    bool bias = conv->n_in > CONV_BIAS && conv->in[CONV_BIAS] != HST__NONE;
    return g->values[conv->in[1]].constant && !conv->act_kind && conv->n_in <= 3 &&
           (!bias || floats(g, conv->in[CONV_BIAS], n));
}

static hst_status fold(hst__graph *g, hst__node *conv, const hst__node *bn, int64_t n,
                       hst_error *err) {
    hst__desc desc = {.dtype = HST_DTYPE_F32, .rank = 1, .dims = {n}};
    hst_tensor *scale = NULL, *bias = NULL;
    if (!hst__match_widen(g, conv, 5))
        return hst__fail_nomem(err, 5 * sizeof *conv->in);
    hst_status st = hst_tensor_create(&desc, &scale, err);
    if (!st)
        st = hst_tensor_create(&desc, &bias, err);
    if (st) {
        hst_tensor_destroy(scale);
        return st;
    }
    const float *old =
        conv->in[CONV_BIAS] == HST__NONE ? NULL : floats(g, conv->in[CONV_BIAS], n);
    float *s = scale->data, *b = bias->data, eps = hst__attr_float(bn, "epsilon", 1e-5f);
    for (int64_t i = 0; i < n; i++) {
        double factor = load(floats(g, bn->in[BN_SCALE], n), i) /
                        sqrt((double)load(floats(g, bn->in[BN_VAR], n), i) + eps);
        double shift =
            (old ? load(old, i) : 0.0) - load(floats(g, bn->in[BN_MEAN], n), i);
        s[i] = (float)factor;
        b[i] = (float)(shift * factor + load(floats(g, bn->in[BN_BIAS], n), i));
    }
    conv->in[CONV_BIAS] = hst__graph_add_constant(g, "", bias);
    conv->in[CONV_WSCALE] = hst__graph_add_constant(g, "", scale);
    if (conv->in[CONV_BIAS] == HST__NONE || conv->in[CONV_WSCALE] == HST__NONE)
        return hst__fail_nomem(err, sizeof(hst__value));
    return HST_OK;
}

hst_status hst__pass_fold_batchnorm(hst__graph *g, int *changed, hst_error *err) {
    hst__match m;
    hst_status st = hst__match_init(&m, g, err);
    for (int i = 0; !st && i < g->n_nodes; i++) {
        hst__node *bn = g->nodes[i];
        if (bn->op != HST__OP_BatchNormalization)
            continue;
        hst__node *conv = hst__match_sole(&m, bn->in[0], HST__OP_Conv);
        int64_t n = g->values[bn->in[0]].desc.dims[1];
        if (!conv || !fits(g, bn, conv, n))
            continue;
        st = fold(g, conv, bn, n, err);
        if (!st)
            hst__match_absorb(&m, m.producer[bn->in[0]], i);
        ++*changed;
    }
    hst__match_fini(&m);
    return st;
}
