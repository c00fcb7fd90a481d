/* An activation goes into the convolution or product that feeds it. */
#include <math.h>
#include <string.h>

#include "kernels/epilogue.h"
#include "passes/match.h"

static bool clip_bounds(const hst__graph *g, const hst__node *n, float *lo, float *hi) {
    *lo = hst__attr_float(n, "min", -INFINITY);
    *hi = hst__attr_float(n, "max", INFINITY);
    if (n->n_in > 1 && n->in[1] != HST__NONE && !hst__match_scalar(g, n->in[1], lo))
        return false;
    return n->n_in <= 2 || n->in[2] == HST__NONE || hst__match_scalar(g, n->in[2], hi);
}

/** The epilogue activation that computes this node; NONE where there is none. */
static hst__act act_of(const hst__graph *g, const hst__node *n) {
    hst__act act = {.kind = HST__ACT_NONE};
    float lo, hi;
    switch (n->op) {
    case HST__OP_Relu:
        return (hst__act){.kind = HST__ACT_RELU};
    case HST__OP_Clip:
        if (clip_bounds(g, n, &lo, &hi))
            act = (hst__act){.kind = HST__ACT_CLIP, .a = lo, .b = hi};
        return act;
    case HST__OP_LeakyRelu:
        return (hst__act){HST__ACT_LEAKY_RELU, hst__attr_float(n, "alpha", 0.01f), 0};
    case HST__OP_Sigmoid:
        return (hst__act){.kind = HST__ACT_SIGMOID};
    case HST__OP_hst_SiLU:
        return (hst__act){.kind = HST__ACT_SILU, .a = 1};
    case HST__OP_ms_QuickGelu:
        return (hst__act){.kind = HST__ACT_SILU,
                          .a = hst__attr_float(n, "alpha", 1.702f)};
    case HST__OP_HardSigmoid:
        return (hst__act){HST__ACT_HARDSIGMOID, hst__attr_float(n, "alpha", 0.2f),
                          hst__attr_float(n, "beta", 0.5f)};
    case HST__OP_HardSwish:
        return (hst__act){HST__ACT_HARDSWISH, 1.0f / 6, 0.5f};
    case HST__OP_Tanh:
        return (hst__act){.kind = HST__ACT_TANH};
    case HST__OP_Gelu:
        return (hst__act){
            .kind = strcmp(hst__attr_string(n, "approximate", "none"), "tanh") == 0
                        ? HST__ACT_GELU_TANH
                        : HST__ACT_GELU};
    case HST__OP_ms_Gelu:
        return (hst__act){.kind = HST__ACT_GELU};
    case HST__OP_ms_FastGelu:
        return n->n_in == 1 || n->in[1] == HST__NONE
                   ? (hst__act){.kind = HST__ACT_GELU_TANH}
                   : act;
    case HST__OP_Mish:
        return (hst__act){.kind = HST__ACT_MISH};
    case HST__OP_Elu:
        return (hst__act){HST__ACT_ELU, hst__attr_float(n, "alpha", 1), 0};
    case HST__OP_Softplus:
        return (hst__act){.kind = HST__ACT_SOFTPLUS};
    default:
        return act;
    }
}

static bool takes_act(const hst__node *n) {
    switch (n->op) {
    case HST__OP_Conv:
    case HST__OP_ConvTranspose:
    case HST__OP_MatMul:
    case HST__OP_Gemm:
        return n->act_kind == HST__ACT_NONE && n->n_out == 1;
    default:
        return false;
    }
}

hst_status hst__pass_fuse_act(hst__graph *g, int *changed, hst_error *err) {
    hst__match m;
    hst_status st = hst__match_init(&m, g, err);
    for (int i = 0; !st && i < g->n_nodes; i++) {
        hst__node *n = g->nodes[i];
        hst__act act = act_of(g, n);
        if (!act.kind || g->values[n->out[0]].desc.dtype != HST_DTYPE_F32)
            continue;
        hst__value_id x = n->in[0];
        hst__node *from = hst__match_producer(&m, x);
        if (!from || m.uses[x] != 1 || !takes_act(from))
            continue;
        from->act_kind = (int)act.kind;
        from->act_a = act.a;
        from->act_b = act.b;
        hst__match_absorb(&m, m.producer[x], i);
        ++*changed;
    }
    hst__match_fini(&m);
    return st;
}
