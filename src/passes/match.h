/* What passes share to find and rewrite small patterns. */
#ifndef HST_PASSES_MATCH_H
#define HST_PASSES_MATCH_H

#include "passes/passes.h"

/** Readers and producers of values, valid while nodes are only absorbed or rewired. */
typedef struct hst__match {
    hst__graph *g;
    int *uses;     /**< by value; graph outputs count as readers */
    int *producer; /**< by value: index of the node, -1 */
    int n_values;  /**< values known when the index was made */
} hst__match;

hst_status hst__match_init(hst__match *m, hst__graph *g, hst_error *err);
void hst__match_fini(hst__match *m);

/** The node that makes v, or NULL (inputs, constants, new values). */
hst__node *hst__match_producer(const hst__match *m, hst__value_id v);
/** Likewise, only if it is of this kind and v is read once. */
hst__node *hst__match_sole(const hst__match *m, hst__value_id v, hst__op_kind op);
/** The value of a one-element float constant. */
bool hst__match_scalar(const hst__graph *g, hst__value_id v, float *out);
/** True for a one-element float constant within 1e-4 relative of `want`. */
bool hst__match_is(const hst__graph *g, hst__value_id v, float want);
/** For a commutative node with one operand that is `v`: the other operand; else NONE. */
hst__value_id hst__match_other(const hst__node *n, hst__value_id v);

/** `early` (at index `from`) takes over the output of the later node at index `to`, whose
 * first input was early's only output; it moves there, so that its new inputs exist. */
void hst__match_absorb(hst__match *m, int from, int to);
/** Grows the input list of a node to n (absent inputs added); false when out of memory.
 */
bool hst__match_widen(hst__graph *g, hst__node *n, int n_in);
/** Puts a new node in place of the one at `at`, with the same outputs. */
hst__node *hst__match_replace(hst__match *m, int at, hst__op_kind op, int opset,
                              int n_in);

#endif
