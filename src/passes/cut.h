/* A graph whose shapes depend on computed data, cut in two: what can be planned from the
 * shapes of the inputs, and what must wait for a run's values. */
#ifndef HST_PASSES_CUT_H
#define HST_PASSES_CUT_H

#include "passes/resolve.h"

/** *head makes all that can be planned; its outputs are what the tail reads of it. *tail
 * has the graph's outputs; its inputs are the graph's own, then the head's outputs. Both
 * are the caller's and share the constants of `graph`, which must outlive them. Errors:
 * as hst__resolve, without VALUE_NEEDED. */
hst_status hst__cut(const hst__graph *graph, const hst__resolve_options *options,
                    hst__graph **head, hst__graph **tail, hst_error *err);

#endif
