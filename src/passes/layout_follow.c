/* Nodes that follow their input into channels-last order. */
#include <string.h>

#include "passes/layout.h"

/** Position of each N,C,H,W dimension in N,H,W,C. */
static const int64_t moved[4] = {0, 3, 1, 2};

typedef enum family {
    STAYS,
    UNARY,     /**< elementwise in input 0; other inputs are scalars or absent */
    BROADCAST, /**< elementwise in all inputs */
    SPATIAL,   /**< has a channels-last form of its own */
    CONCAT,
    SPLIT,
    SLICE,
    PAD,
    REDUCE,
    AXIS, /**< works along the attribute "axis" (from opset 13) */
} family;

static family family_of(const hst__node *n) {
    switch (n->op) {
    case HST__OP_Relu:
    case HST__OP_Clip:
    case HST__OP_LeakyRelu:
    case HST__OP_Sigmoid:
    case HST__OP_hst_SiLU:
    case HST__OP_HardSigmoid:
    case HST__OP_HardSwish:
    case HST__OP_Tanh:
    case HST__OP_Gelu:
    case HST__OP_ms_Gelu:
    case HST__OP_ms_QuickGelu:
    case HST__OP_Mish:
    case HST__OP_Elu:
    case HST__OP_Selu:
    case HST__OP_Celu:
    case HST__OP_Softplus:
    case HST__OP_Softsign:
    case HST__OP_Abs:
    case HST__OP_Neg:
    case HST__OP_Sqrt:
    case HST__OP_Exp:
    case HST__OP_Log:
    case HST__OP_Erf:
    case HST__OP_Floor:
    case HST__OP_Ceil:
    case HST__OP_Round:
    case HST__OP_Reciprocal:
    case HST__OP_Sign:
    case HST__OP_Identity:
    case HST__OP_Cast:
    case HST__OP_ThresholdedRelu:
        return UNARY;
    case HST__OP_Add:
    case HST__OP_Sub:
    case HST__OP_Mul:
    case HST__OP_Div:
    case HST__OP_Pow:
    case HST__OP_Min:
    case HST__OP_Max:
    case HST__OP_Mean:
    case HST__OP_Sum:
    case HST__OP_PRelu:
    case HST__OP_Where:
    case HST__OP_Greater:
    case HST__OP_Less:
    case HST__OP_Equal:
        return BROADCAST;
    case HST__OP_BatchNormalization:
    case HST__OP_InstanceNormalization:
    case HST__OP_GroupNormalization:
    case HST__OP_LRN:
    case HST__OP_GlobalAveragePool:
    case HST__OP_GlobalMaxPool:
    case HST__OP_DepthToSpace:
    case HST__OP_SpaceToDepth:
        return SPATIAL;
    case HST__OP_Resize:
    case HST__OP_Upsample:
        return SPATIAL;
    case HST__OP_Concat:
        return CONCAT;
    case HST__OP_Split:
        return SPLIT;
    case HST__OP_Slice:
        return SLICE;
    case HST__OP_Pad:
        return PAD;
    case HST__OP_ReduceMean:
    case HST__OP_ReduceSum:
    case HST__OP_ReduceMax:
    case HST__OP_ReduceMin:
    case HST__OP_ReduceL2:
    case HST__OP_ReduceProd:
        return REDUCE;
    case HST__OP_Softmax:
    case HST__OP_LogSoftmax:
        return n->opset >= 13 ? AXIS : STAYS;
    default:
        return STAYS;
    }
}

static bool single_output(const hst__node *n) {
    for (int i = 1; i < n->n_out; i++)
        if (n->out[i] != HST__NONE)
            return false;
    return true;
}

static bool emit_in_place(hst__layout *l, hst__node *n) {
    for (int i = 0; i < n->n_out; i++)
        if (n->out[i] != HST__NONE)
            n->out[i] = hst__layout_place(l, n->out[i], 4, hst__nhwc);
    hst__layout_emit(l, n);
    return true;
}

static bool is_scalar(const hst__layout *l, hst__value_id v) {
    return hst__desc_size(hst__layout_desc(l, v)) == 1;
}

/** A broadcast operand of lower rank: constants are permuted, one-element values stay. */
static bool can_permute(const hst__layout *l, hst__value_id v) {
    const hst__desc *d = hst__layout_desc(l, v);
    return d->rank == 4 || is_scalar(l, v) ||
           (l->g->values[v].constant && hst_dtype_size(d->dtype) == 4);
}

/** A constant of rank 1..4 as an N,H,W,C constant. */
static hst__value_id permuted_constant(hst__layout *l, hst__value_id v) {
    const hst_tensor *t = l->g->values[v].constant;
    int64_t from[4] = {1, 1, 1, 1};
    for (int i = 0; i < t->desc.rank; i++)
        from[4 - t->desc.rank + i] = t->desc.dims[i];
    hst__desc desc = {
        .dtype = t->desc.dtype, .rank = 4, .dims = {from[0], from[2], from[3], from[1]}};
    hst_tensor *out;
    if (hst_tensor_create(&desc, &out, l->err)) {
        l->failed = true;
        return v;
    }
    char *to = out->data;
    for (int64_t i = 0; i < from[0]; i++)
        for (int64_t p = 0; p < from[2] * from[3]; p++)
            for (int64_t c = 0; c < from[1]; c++, to += 4)
                memcpy(to,
                       (const char *)t->data +
                           4 * ((i * from[1] + c) * from[2] * from[3] + p),
                       4);
    hst__value_id id = hst__graph_add_constant(l->g, "", out);
    l->failed |= id == HST__NONE;
    return id;
}

static hst__value_id operand(hst__layout *l, hst__value_id v) {
    if (hst__layout_is_nhwc(l, v))
        return l->placed[v].id;
    if (is_scalar(l, v) && hst__layout_desc(l, v)->rank < 4)
        return v;
    if (l->g->values[v].constant && hst_dtype_size(hst__layout_desc(l, v)->dtype) == 4)
        return permuted_constant(l, v);
    return hst__layout_nhwc(l, v);
}

/** Follows when the larger part of its rank-4 operands is there already. */
static bool follow_operands(hst__layout *l, hst__node *n) {
    size_t there = 0, missing = 0;
    if (hst__layout_desc(l, n->out[0])->rank != 4)
        return false;
    for (int i = 0; i < n->n_in; i++) {
        hst__value_id v = n->in[i];
        if (v == HST__NONE)
            continue;
        if (!can_permute(l, v) || (n->op == HST__OP_Concat && l->g->values[v].constant &&
                                   hst_dtype_size(hst__layout_desc(l, v)->dtype) != 4))
            return false;
        size_t size = hst__desc_size(hst__layout_desc(l, v));
        if (hst__layout_is_nhwc(l, v))
            there += size;
        else if (!l->g->values[v].constant)
            missing += size;
    }
    if (there == 0 || there < missing)
        return false;
    for (int i = 0; i < n->n_in; i++)
        if (n->in[i] != HST__NONE)
            n->in[i] = operand(l, n->in[i]);
    return true;
}

static bool remap_axis(hst__layout *l, hst__node *n, int64_t fallback) {
    int64_t axis = hst__attr_int(n, "axis", fallback);
    if (axis < 0)
        axis += 4;
    bool ok = axis >= 0 && axis < 4 && hst__attr_set_int(l->g, n, "axis", moved[axis]);
    l->failed |= !ok;
    return ok;
}

/** The integers of a constant input; -1 where it is none or longer than cap. */
static int constant_ints(const hst__layout *l, hst__value_id v, int64_t *out, int cap) {
    const hst_tensor *t = l->g->values[v].constant;
    if (!t || hst_tensor_count(t) > (size_t)cap)
        return -1;
    int n = (int)hst_tensor_count(t);
    for (int i = 0; i < n; i++) {
        int32_t narrow;
        if (t->desc.dtype == HST_DTYPE_S64) {
            memcpy(&out[i], (const char *)t->data + 8 * i, 8);
        } else if (t->desc.dtype == HST_DTYPE_S32) {
            memcpy(&narrow, (const char *)t->data + 4 * i, 4);
            out[i] = narrow;
        } else {
            return -1;
        }
    }
    return n;
}

/** Maps axes given as attribute "axes" or as a constant input; false where they are
 * neither. axes_out gets the mapped ones. */
static bool remap_axes(hst__layout *l, hst__node *n, int input, int64_t axes[4],
                       int *count) {
    size_t listed;
    const int64_t *attr = hst__attr_ints(n, "axes", &listed);
    bool given = n->n_in > input && n->in[input] != HST__NONE;
    if (given) {
        *count = constant_ints(l, n->in[input], axes, 4);
    } else {
        *count = attr && listed <= 4 ? (int)listed : -1;
        for (int i = 0; i < *count; i++)
            axes[i] = attr[i];
    }
    for (int i = 0; i < *count; i++) {
        int64_t a = axes[i] < 0 ? axes[i] + 4 : axes[i];
        if (a < 0 || a > 3)
            return false;
        axes[i] = moved[a];
    }
    if (*count < 1)
        return false;
    if (given)
        n->in[input] = hst__layout_ints(l, axes, *count);
    else
        l->failed |= !hst__attr_set_ints(l->g, n, "axes", axes, (size_t)*count);
    return true;
}

/** Without keepdims only a mean over both spatial axes is the same in either order. */
static bool follow_reduce(hst__layout *l, hst__node *n) {
    int64_t axes[4];
    int count;
    bool keep = hst__attr_int(n, "keepdims", 1);
    if (!keep) {
        size_t listed;
        const int64_t *attr = hst__attr_ints(n, "axes", &listed);
        int64_t values[4];
        int k = attr ? (int)listed
                : n->n_in > 1 && n->in[1] != HST__NONE
                    ? constant_ints(l, n->in[1], values, 4)
                    : -1;
        const int64_t *a = attr ? attr : values;
        if (k != 2 || (a[0] + 4) % 4 + (a[1] + 4) % 4 != 5 || (a[0] + 4) % 4 < 2)
            return false;
    }
    hst__value_id x = n->in[0];
    if (!remap_axes(l, n, 1, axes, &count))
        return false;
    n->in[0] = l->placed[x].id;
    if (keep)
        return emit_in_place(l, n);
    l->plain[n->out[0]] = true;
    hst__layout_emit(l, n);
    return true;
}

static bool follow_pad(hst__layout *l, hst__node *n) {
    int64_t pads[8], out[8];
    bool input = n->n_in > 1 && n->in[1] != HST__NONE;
    if (n->n_in > 3 && n->in[3] != HST__NONE)
        return false;
    if (input) {
        if (constant_ints(l, n->in[1], pads, 8) != 8)
            return false;
    } else {
        size_t count;
        const int64_t *attr = hst__attr_ints(n, "pads", &count);
        if (count != 8)
            return false;
        memcpy(pads, attr, sizeof pads);
    }
    for (int i = 0; i < 4; i++) {
        out[i] = pads[hst__nhwc[i]];
        out[4 + i] = pads[4 + hst__nhwc[i]];
    }
    if (input)
        n->in[1] = hst__layout_ints(l, out, 8);
    else
        l->failed |= !hst__attr_set_ints(l->g, n, "pads", out, 8);
    n->in[0] = l->placed[n->in[0]].id;
    return emit_in_place(l, n);
}

static bool follow_slice(hst__layout *l, hst__node *n) {
    int64_t axes[4];
    int count;
    hst__value_id x = n->in[0];
    if (!remap_axes(l, n, 3, axes, &count))
        return false;
    n->in[0] = l->placed[x].id;
    return emit_in_place(l, n);
}

bool hst__layout_follow(hst__layout *l, hst__node *n) {
    family f = family_of(n);
    if (f == STAYS || n->n_in < 1 || n->in[0] == HST__NONE || n->out[0] == HST__NONE)
        return false;
    if (f == BROADCAST || f == CONCAT) {
        if (!follow_operands(l, n) || (f == CONCAT && !remap_axis(l, n, 1)))
            return false;
        return emit_in_place(l, n);
    }
    if (!hst__layout_is_nhwc(l, n->in[0]) || (f != SPLIT && !single_output(n)))
        return false;
    switch (f) {
    case SPATIAL:
        n->channels_last = true;
        l->converted++;
        n->in[0] = l->placed[n->in[0]].id;
        return emit_in_place(l, n);
    case AXIS:
    case SPLIT:
        remap_axis(l, n, f == SPLIT ? 0 : -1);
        n->in[0] = l->placed[n->in[0]].id;
        return emit_in_place(l, n);
    case SLICE:
        return follow_slice(l, n);
    case PAD:
        return follow_pad(l, n);
    case REDUCE:
        return follow_reduce(l, n);
    default:
        n->in[0] = l->placed[n->in[0]].id;
        return emit_in_place(l, n);
    }
}
