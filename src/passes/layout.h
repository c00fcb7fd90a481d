/* State of the channels-last pass: which values exist in which order of dimensions. */
#ifndef HST_PASSES_LAYOUT_H
#define HST_PASSES_LAYOUT_H

#include "passes/passes.h"

/** A value as it lies in memory: physical dimension i is dimension perm[i] of the value.
 */
typedef struct hst__placed {
    hst__value_id id; /**< NONE: not there */
    int rank;
    int perm[HST_MAX_RANK];
} hst__placed;

typedef struct hst__layout {
    hst__graph *g;
    hst_error *err;
    hst__placed *placed; /**< by value (of the graph as it was): permuted form, if any */
    bool *plain;         /**< by value: the form in declared order exists */
    int n_values;
    hst__node **nodes; /**< the new list */
    int n_nodes, cap_nodes;
    int converted; /**< nodes that became channels-last */
    bool failed;   /**< out of memory */
} hst__layout;

extern const int hst__nhwc[4]; /**< {0, 2, 3, 1}: N,H,W,C from N,C,H,W */

const hst__desc *hst__layout_desc(const hst__layout *l, hst__value_id v);
/** True where v exists channels-last (rank 4 in order N,H,W,C). */
bool hst__layout_is_nhwc(const hst__layout *l, hst__value_id v);
/** The channels-last form of v (rank 4), made by a Transpose where there is none. */
hst__value_id hst__layout_nhwc(hst__layout *l, hst__value_id v);
/** Makes sure that v exists in declared order. */
void hst__layout_plain(hst__layout *l, hst__value_id v);
/** Gives v a permuted form to be made by the caller's node; returns its id. */
hst__value_id hst__layout_place(hst__layout *l, hst__value_id v, int rank,
                                const int *perm);
void hst__layout_emit(hst__layout *l, hst__node *n);
/** A constant vector of s64. */
hst__value_id hst__layout_ints(hst__layout *l, const int64_t *values, int n);
/** Emits a Transpose with `perm` from one value to another. */
void hst__layout_transpose(hst__layout *l, hst__value_id from, hst__value_id to, int rank,
                           const int *perm);

/** Nodes that keep their meaning under a permutation of dimensions once axes are mapped:
 * true when the node was emitted channels-last. */
bool hst__layout_follow(hst__layout *l, hst__node *n);
/** Reshape and Transpose around channels (shuffle, detection heads): true when emitted.
 */
bool hst__layout_reorder(hst__layout *l, hst__node *n);

#endif
