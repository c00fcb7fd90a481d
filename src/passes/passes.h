/* Rewrites of a resolved graph. Each keeps its meaning; one pass = one file + one test.
 */
#ifndef HST_PASSES_PASSES_H
#define HST_PASSES_PASSES_H

#include "ops/op.h"

/** A pass; *changed counts its rewrites. Errors: NOMEM only. */
typedef hst_status hst__pass(hst__graph *g, int *changed, hst_error *err);

#define HST__PASS(symbol, name, text) hst__pass hst__pass_##symbol;
#include "passes/passes.def"
#undef HST__PASS

/** All passes in the order of passes.def. */
hst_status hst__passes_run(hst__graph *g, hst_error *err);

#endif
