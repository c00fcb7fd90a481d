/* A session replays a plan: binds addresses and runs the steps. One thread at a time.
 * Allocates at create only; a run locks nothing and prints nothing. */
#ifndef HST_EXEC_SESSION_H
#define HST_EXEC_SESSION_H

#include "plan/plan.h"

/** Called around each step when set; measuring plugs in here. */
typedef struct hst__probe {
    void (*begin)(void *user, int step);
    void (*end)(void *user, int step);
    void *user;
} hst__probe;

typedef struct hst__exec {
    const hst__plan *plan;
    void **ptr;   /**< address of each slot */
    char *memory; /**< activations, then scratch */
    size_t bytes; /**< of memory */
    hst__fault fault;
    hst__run run;
    const hst__probe *probe; /**< NULL: none */
    hst_tensor *outputs;     /**< n_outputs views of the results */
    void **copies; /**< own bytes of an output that is a view of an input or constant */
} hst__exec;

/** Takes the memory the plan asks for and touches every page of it. */
hst_status hst__exec_create(const hst__plan *plan, hst__exec **out, hst_error *err);
void hst__exec_destroy(hst__exec *e);
/** inputs[i] is the data of graph input i, in the planned shape; not written to. Errors:
 * FORMAT where an input holds an index outside the data it is for; the outputs are then
 * undefined. */
hst_status hst__exec_run(hst__exec *e, const void *const *inputs, hst_error *err);

#endif
