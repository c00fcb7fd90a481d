#include <string.h>

#include "passes/report.h"
#include "passes/resolve.h"

/** The first output that must be there and has no name; -1 if none. */
static int unnamed_output(const hst__node *n, const hst__op *op) {
    for (int i = 0; i < op->min_out && i < n->n_out; i++)
        if (n->out[i] == HST__NONE)
            return i;
    return -1;
}

/** Types of the attributes that operators read; each name has one in all of ONNX. */
static const struct {
    const char *name;
    hst__attr_type type;
} attr_types[] = {
    {"activation", HST__ATTR_STRING},
    {"activation_alpha", HST__ATTR_FLOATS},
    {"activation_beta", HST__ATTR_FLOATS},
    {"activation_params", HST__ATTR_FLOATS},
    {"activations", HST__ATTR_STRINGS},
    {"align_corners", HST__ATTR_INT},
    {"allowzero", HST__ATTR_INT},
    {"alpha", HST__ATTR_FLOAT},
    {"approximate", HST__ATTR_STRING},
    {"auto_pad", HST__ATTR_STRING},
    {"axes", HST__ATTR_INTS},
    {"axis", HST__ATTR_INT},
    {"batch_dims", HST__ATTR_INT},
    {"beta", HST__ATTR_FLOAT},
    {"bias", HST__ATTR_FLOAT},
    {"blocksize", HST__ATTR_INT},
    {"ceil_mode", HST__ATTR_INT},
    {"center_point_box", HST__ATTR_INT},
    {"coordinate_transformation_mode", HST__ATTR_STRING},
    {"count_include_pad", HST__ATTR_INT},
    {"cubic_coeff_a", HST__ATTR_FLOAT},
    {"dilations", HST__ATTR_INTS},
    {"direction", HST__ATTR_STRING},
    {"end", HST__ATTR_INT},
    {"epsilon", HST__ATTR_FLOAT},
    {"equation", HST__ATTR_STRING},
    {"exclusive", HST__ATTR_INT},
    {"group", HST__ATTR_INT},
    {"hidden_size", HST__ATTR_INT},
    {"k", HST__ATTR_INT},
    {"keepdims", HST__ATTR_INT},
    {"kernel_shape", HST__ATTR_INTS},
    {"largest", HST__ATTR_INT},
    {"mode", HST__ATTR_STRING},
    {"nearest_mode", HST__ATTR_STRING},
    {"num_groups", HST__ATTR_INT},
    {"num_heads", HST__ATTR_INT},
    {"num_outputs", HST__ATTR_INT},
    {"output_padding", HST__ATTR_INTS},
    {"output_shape", HST__ATTR_INTS},
    {"padding_mode", HST__ATTR_STRING},
    {"pads", HST__ATTR_INTS},
    {"perm", HST__ATTR_INTS},
    {"reduction", HST__ATTR_STRING},
    {"reverse", HST__ATTR_INT},
    {"scales", HST__ATTR_FLOATS},
    {"size", HST__ATTR_INT},
    {"split", HST__ATTR_INTS},
    {"start", HST__ATTR_INT},
    {"strides", HST__ATTR_INTS},
    {"to", HST__ATTR_INT},
    {"transA", HST__ATTR_INT},
    {"transB", HST__ATTR_INT},
    {"upper", HST__ATTR_INT},
};

/** The first attribute of another type than operators of its name read; NULL if none. */
static const hst__attr *wrong_attr(const hst__node *n) {
    for (int i = 0; i < n->n_attr; i++)
        for (size_t k = 0; k < sizeof attr_types / sizeof *attr_types; k++)
            if (n->attrs[i].type != HST__ATTR_OTHER &&
                n->attrs[i].type != attr_types[k].type &&
                strcmp(n->attrs[i].name, attr_types[k].name) == 0)
                return &n->attrs[i];
    return NULL;
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
    else if (wrong_attr(n))
        hst__fail(&one, HST_E_FORMAT, "%s: attribute '%.100s' is of the wrong type",
                  label, wrong_attr(n)->name);
    if (one.status)
        hst__report_add(report, &one);
}

hst_status hst__resolve_check(const hst__graph *g, hst_error *err) {
    hst__report report = {0};
    for (int i = 0; i < g->n_nodes; i++)
        check_node(g->nodes[i], &report);
    return hst__report_status(&report, err);
}
