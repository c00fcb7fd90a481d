/* From a graph as read to one whose every shape is known: input shapes are put in, shapes
 * and types are inferred, and what depends on constants alone is computed. */
#ifndef HST_PASSES_RESOLVE_H
#define HST_PASSES_RESOLVE_H

#include "ops/op.h"

typedef struct hst__resolve_options {
    const hst__desc *inputs;         /**< one fully known shape for each graph input */
    const hst_tensor *const *values; /**< value of an input where it is bound, else NULL;
                                          the array may be NULL */
    hst_cpu_level cpu;
    int threads;        /**< for computing constants */
    double seconds_max; /**< estimated time on one core that may be spent on evaluating */
    bool evaluate; /**< compute everything, however large: all inputs have values, and the
                        graph's outputs are constants afterwards. Else what is too large
                        or would take too long stays a node */
    bool *unknown; /**< NULL, or room for each value: a node that needs a run's values is
                        no error, and true is put where a value depends on one. The graph
                        is unusable afterwards */
} hst__resolve_options;

/** Errors: SHAPE/TYPE (input against declaration), UNSUPPORTED (all such nodes in one
 * message), VALUE_NEEDED (a shape depends on data that only a run has; the message names
 * the node), whatever infer says. The graph is then unusable. Half-precision floats are
 * computed in f32: inputs and outputs keep their type, see widen.h. */
hst_status hst__resolve(hst__graph *g, const hst__resolve_options *options,
                        hst_error *err);

/** Every node's operator, opset and count of inputs against the operator table. Errors:
 * UNSUPPORTED, listing all nodes that do not pass, not the first alone. */
hst_status hst__resolve_check(const hst__graph *g, hst_error *err);

#endif
