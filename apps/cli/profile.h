/* What profile collects; printed as text, JSON and trace. */
#ifndef HASTEN_CLI_PROFILE_H
#define HASTEN_CLI_PROFILE_H

#include "chain.h"

typedef struct profile_layer {
    hst_step_info step;
    size_t index;  /**< of the step in the plan */
    uint64_t ns;   /**< median */
    uint64_t last; /**< in the last timed run, for the trace */
} profile_layer;

typedef struct profile {
    chain chain;
    const char *model;
    size_t runs;
    uint64_t *stage_ns[HST_STAGE_COUNT], *other_ns, *total_ns; /**< [runs] */
    hst_stats stages[HST_STAGE_COUNT], other, total;
    profile_layer *layers; /**< in order of the plan, without views */
    size_t n_layers, layer_runs;
    uint64_t layer_sum_ns; /**< sum of the layers' medians */
} profile;

void profile_print_text(const profile *p, size_t shown);
void profile_print_json(const profile *p);
/** Chrome/Perfetto trace of the last run. Errors: IO. */
hst_status profile_write_trace(const profile *p, const char *path, hst_error *err);

#endif
