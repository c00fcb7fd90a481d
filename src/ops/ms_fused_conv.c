#include <string.h>

#include "ops/fused_conv.h"
#include "ops/unary.h"

extern const hst__op hst__op_Conv;

bool hst__fused_conv_act(const hst__node *n, hst__act *act) {
    static const struct {
        const char *name;
        hst__act act;
    } acts[] = {{"", {HST__ACT_NONE, 0, 0}},
                {"Relu", {HST__ACT_RELU, 0, 0}},
                {"Tanh", {HST__ACT_TANH, 0, 0}},
                {"Sigmoid", {HST__ACT_SIGMOID, 0, 0}},
                {"LeakyRelu", {HST__ACT_LEAKY_RELU, 0.01f, 0}},
                {"Clip", {HST__ACT_CLIP, -3.4028235e38f, 3.4028235e38f}},
                {"HardSigmoid", {HST__ACT_HARDSIGMOID, 0.2f, 0.5f}}};
    const char *name = hst__attr_string(n, "activation", "");
    size_t count;
    const float *params = hst__attr_floats(n, "activation_params", &count);
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        if (strcmp(acts[i].name, name) != 0)
            continue;
        *act = acts[i].act;
        if (count > 0)
            act->a = params[0];
        if (count > 1)
            act->b = params[1];
        return true;
    }
    return false;
}

static hst_status infer(hst__op_ctx *c) {
    hst__act act;
    if (!hst__fused_conv_act(c->node, &act))
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "activation '%.40s'; Relu, Tanh, Sigmoid, LeakyRelu, Clip, "
                            "HardSigmoid are",
                            hst__attr_string(c->node, "activation", ""));
    return hst__op_Conv.infer(c);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    hst__act act;
    hst__node *conv = hst__op_state(c, sizeof *conv);
    if (!conv)
        return hst__op_nomem(c, sizeof *conv);
    *conv = *c->node;
    hst__fused_conv_act(conv, &act);
    conv->act_kind = (int)act.kind;
    conv->act_a = act.a;
    conv->act_b = act.b;
    c->node = conv;
    return hst__op_Conv.prepare(c, s);
}

const hst__op hst__op_ms_FusedConv = {1, HST__OPSET_MAX, 2,     4,      1,
                                      1, false,          infer, prepare};
