/* FusedConv of com.microsoft becomes Conv with its activation, which the other passes
 * know. */
#include "ops/fused_conv.h"
#include "passes/passes.h"

hst_status hst__pass_lower_fused_conv(hst__graph *g, int *changed, hst_error *err) {
    (void)err;
    for (int i = 0; i < g->n_nodes; i++) {
        hst__node *n = g->nodes[i];
        hst__act act;
        if (n->op != HST__OP_ms_FusedConv || !hst__fused_conv_act(n, &act))
            continue;
        n->op = HST__OP_Conv;
        n->act_kind = (int)act.kind;
        n->act_a = act.a;
        n->act_b = act.b;
        ++*changed;
    }
    return HST_OK;
}
