/* A network as data: values (tensors by name) and nodes (operators) in topological order.
 * A graph knows nothing of kernels, threads or memory plans. */
#ifndef HST_GRAPH_GRAPH_H
#define HST_GRAPH_GRAPH_H

#include "tensor/tensor.h"

typedef enum hst__op_kind {
#define HST__OP(symbol, domain, name) HST__OP_##symbol,
#include "graph/ops.def"
#undef HST__OP
    HST__OP_COUNT,
    HST__OP_UNKNOWN = HST__OP_COUNT
} hst__op_kind;

/** Kind of an operator by domain ("" or "ai.onnx" alike) and name; HST__OP_UNKNOWN if
 * none. */
hst__op_kind hst__op_find(const char *domain, const char *name);
const char *hst__op_name(hst__op_kind kind);
const char *hst__op_domain(hst__op_kind kind);

typedef enum hst__attr_type {
    HST__ATTR_OTHER, /**< graph, sparse tensor, ...: present, its value not kept */
    HST__ATTR_INT,
    HST__ATTR_FLOAT,
    HST__ATTR_STRING,
    HST__ATTR_INTS,
    HST__ATTR_FLOATS,
    HST__ATTR_STRINGS,
    HST__ATTR_TENSOR,
} hst__attr_type;

typedef struct hst__attr {
    const char *name;
    hst__attr_type type;
    int64_t i;
    float f;
    const char *s; /**< NUL-terminated copy; for STRINGS all, a space between two */
    size_t count;  /**< of ints or floats */
    const int64_t *ints;
    const float *floats;
    const hst_tensor *tensor;
} hst__attr;

typedef int32_t hst__value_id;
enum { HST__NONE = -1 }; /**< an absent optional input or output */

typedef struct hst__value {
    const char *name; /**< "" where made by a pass without a name */
    hst__desc desc; /**< dtype NONE or rank -1 where not known yet; dims -1 where free */
    const hst_tensor *constant; /**< not NULL for initialisers and folded values */
} hst__value;

typedef struct hst__node {
    hst__op_kind op;
    int opset;           /**< version of the operator's domain in this model */
    const char *name;    /**< as in the file; "" if it had none */
    const char *op_type; /**< as in the file, also for unknown operators */
    const char *domain;
    int n_in, n_out, n_attr;
    hst__value_id *in, *out;
    hst__attr *attrs;

    /* Written by passes only. */
    bool channels_last; /**< rank-4 tensors of this node are stored N,H,W,C */
    int act_kind;       /**< hst__act_kind of a fused activation; 0 = none */
    float act_a, act_b;
    const void *extra; /**< what a "hasten" operator needs beyond attributes (arena) */
} hst__node;

typedef struct hst__graph {
    hst__arena arena; /**< names, nodes, attributes */
    hst__value *values;
    int n_values, cap_values;
    hst__node **nodes; /**< topological order */
    int n_nodes, cap_nodes;
    hst__value_id *inputs, *outputs; /**< inputs: without those that are initialisers */
    int n_inputs, n_outputs;
    hst_tensor **owned; /**< constants that die with the graph */
    int n_owned, cap_owned;
    const char *name, *producer; /**< producer: "pytorch 2.1.0" */
    int ir_version, opset;       /**< opset of the ONNX domain */
} hst__graph;

hst__graph *hst__graph_create(hst_error *err);
void hst__graph_destroy(hst__graph *g);
/** A copy that shares the constants of `from`, which must outlive it. */
hst_status hst__graph_clone(const hst__graph *from, hst__graph **out, hst_error *err);

/** A new value; the name is copied (NULL means ""). HST__NONE when out of memory. */
hst__value_id hst__graph_add_value(hst__graph *g, const char *name,
                                   const hst__desc *desc);
/** A new constant value; takes ownership of the tensor, also on failure. */
hst__value_id hst__graph_add_constant(hst__graph *g, const char *name,
                                      hst_tensor *tensor);
/** Makes an existing value constant; takes ownership, also on failure (false). */
bool hst__graph_set_constant(hst__graph *g, hst__value_id v, hst_tensor *tensor);
/** A zeroed node with room for its inputs and outputs (all HST__NONE), not yet in the
 * list. Names are arena copies. NULL when out of memory. */
hst__node *hst__graph_new_node(hst__graph *g, hst__op_kind op, int n_in, int n_out);
/** Puts a node into the list at `at` (0..n_nodes). */
bool hst__graph_insert(hst__graph *g, int at, hst__node *node);
static inline bool hst__graph_append(hst__graph *g, hst__node *node) {
    return hst__graph_insert(g, g->n_nodes, node);
}
/** Sorts nodes topologically (stable). Errors: FORMAT (cycle, a value made twice or read
 * but never made), naming node and value. */
hst_status hst__graph_sort(hst__graph *g, hst_error *err);
/** Removes nodes none of whose outputs is used; returns how many. */
int hst__graph_prune(hst__graph *g);
/** For passes: for each value the number of readers (graph outputs count one) and the
 * index of its producer (-1: none). Arrays of n_values ints owned by the caller. */
void hst__graph_uses(const hst__graph *g, int *uses, int *producer);
/** Replaces every read of `from` (graph outputs too) by `to`. */
void hst__graph_replace(hst__graph *g, hst__value_id from, hst__value_id to);

/* Attributes: the value, or the default where it is absent. */
const hst__attr *hst__attr_get(const hst__node *n, const char *name);
int64_t hst__attr_int(const hst__node *n, const char *name, int64_t fallback);
float hst__attr_float(const hst__node *n, const char *name, float fallback);
const char *hst__attr_string(const hst__node *n, const char *name, const char *fallback);
/** NULL and *count = 0 where absent. */
const int64_t *hst__attr_ints(const hst__node *n, const char *name, size_t *count);
const float *hst__attr_floats(const hst__node *n, const char *name, size_t *count);
/** Adds or replaces an attribute; false when out of memory. */
bool hst__attr_set_int(hst__graph *g, hst__node *n, const char *name, int64_t value);
bool hst__attr_set_float(hst__graph *g, hst__node *n, const char *name, float value);
bool hst__attr_set_ints(hst__graph *g, hst__node *n, const char *name,
                        const int64_t *values, size_t count);

/** "Conv 'conv1' (opset 13)" for messages. Returns buffer. */
const char *hst__node_label(const hst__node *n, char *buffer, size_t size);
enum { HST__NODE_LABEL = 256 };

#endif
