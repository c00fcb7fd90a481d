/* Runs a graph on tensors of any shape: finds or makes the plan that fits, and falls back
 * to evaluating the tail node by node where shapes depend on data. */
#ifndef HST_EXEC_RUNNER_H
#define HST_EXEC_RUNNER_H

#include "exec/session.h"
#include "plan/cache.h"

/** An hour: some hundred times BERT base on 512 tokens. */
enum { HST__SECONDS_MAX = 3600 };

typedef struct hst__runner {
    const hst__graph *graph;
    hst__plan_cache *cache;
    int threads;
    hst_cpu_level cpu; /**< resolved */
    bool no_passes;
    const char *folder;       /**< for hst__plan_options; NULL */
    const uint64_t *identity; /**< likewise */
    double seconds_max; /**< runs estimated to take longer on one core are refused */

    /* What the last inputs led to. */
    hst__desc *inputs;
    bool *bound;            /**< input i's value is part of the plan */
    hst__plan_entry *entry; /**< NULL before the first inputs */
    hst__exec *exec;
    const void **addresses; /**< scratch: data pointers of the inputs */
    hst__graph *evaluated;  /**< where the plan has a tail: the outputs of the last run */
    uint64_t plan_ns;
} hst__runner;

hst_status hst__runner_init(hst__runner *r, const hst__graph *graph,
                            hst__plan_cache *cache, int threads, hst_cpu_level cpu,
                            bool no_passes, hst_error *err);
void hst__runner_fini(hst__runner *r);
/** Plans from shapes alone. HST_E_VALUE_NEEDED where that is not enough. */
hst_status hst__runner_plan_shapes(hst__runner *r, const hst__desc *inputs,
                                   hst_error *err);
/** Plans for these inputs unless the current plan fits already. */
hst_status hst__runner_prepare(hst__runner *r, const hst_tensor *const *inputs,
                               hst_error *err);
hst_status hst__runner_run(hst__runner *r, const hst_tensor *const *inputs,
                           hst_error *err);
/** Output i of the last run, or NULL. */
const hst_tensor *hst__runner_output(const hst__runner *r, int i);

#endif
