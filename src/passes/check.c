#include "passes/report.h"
#include "passes/resolve.h"

/** The first output that must be there and has no name; -1 if none. */
static int unnamed_output(const hst__node *n, const hst__op *op) {
    for (int i = 0; i < op->min_out && i < n->n_out; i++)
        if (n->out[i] == HST__NONE)
            return i;
    return -1;
}

static void check_node(const hst__node *n, hst__report *report) {
    const hst__op *op = hst__op_get(n->op);
    char label[HST__NODE_LABEL];
    hst_error one = {0};
    hst__node_label(n, label, sizeof label);
    int inputs = n->n_in;
    while (inputs > 0 && n->in[inputs - 1] == HST__NONE)
        inputs--;
    if (!op)
        hst__fail(&one, HST_E_UNSUPPORTED, "%s: this operator is not supported", label);
    else if (n->opset < op->first_opset || n->opset > op->last_opset)
        hst__fail(&one, HST_E_UNSUPPORTED,
                  "%s: this opset is not supported; opsets %d to %d are", label,
                  op->first_opset, op->last_opset);
    else if (inputs < op->min_in ||
             (op->max_in != HST__OP_VARIADIC && inputs > op->max_in) ||
             inputs > HST__OP_MAX_IN)
        hst__fail(&one, HST_E_FORMAT, "%s: it has %d inputs; %d to %d are allowed", label,
                  inputs, op->min_in,
                  op->max_in == HST__OP_VARIADIC ? HST__OP_MAX_IN : op->max_in);
    else if (n->n_out < op->min_out || n->n_out > HST__OP_MAX_OUT ||
             (op->max_out != HST__OP_VARIADIC && n->n_out > op->max_out))
        hst__fail(&one, HST_E_FORMAT, "%s: it has %d outputs; %d to %d are allowed",
                  label, n->n_out, op->min_out,
                  op->max_out == HST__OP_VARIADIC ? HST__OP_MAX_OUT : op->max_out);
    else if (unnamed_output(n, op) >= 0)
        hst__fail(&one, HST_E_FORMAT, "%s: output %d must have a name", label,
                  unnamed_output(n, op));
    if (one.status)
        hst__report_add(report, &one);
}

hst_status hst__resolve_check(const hst__graph *g, hst_error *err) {
    hst__report report = {0};
    for (int i = 0; i < g->n_nodes; i++)
        check_node(g->nodes[i], &report);
    return hst__report_status(&report, err);
}
