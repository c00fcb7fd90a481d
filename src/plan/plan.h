/* A plan: everything decided before the first run. Immutable, shared by sessions. */
#ifndef HST_PLAN_PLAN_H
#define HST_PLAN_PLAN_H

#include "ops/op.h"

typedef enum hst__slot_kind {
    HST__SLOT_ABSENT, /**< NULL: an optional tensor that is not there, or one not read */
    HST__SLOT_CONSTANT, /**< fixed address */
    HST__SLOT_INPUT,    /**< the caller's tensor, bound at each run */
    HST__SLOT_ARENA,    /**< offset into the session's arena */
} hst__slot_kind;

typedef struct hst__slot {
    hst__slot_kind kind;
    int input;      /**< INPUT: which graph input */
    size_t offset;  /**< ARENA: bytes */
    void *constant; /**< CONSTANT */
} hst__slot;

typedef struct hst__plan_options {
    const hst__desc *inputs; /**< one known shape for each graph input */
    const hst_tensor *const
        *values;        /**< bound values, see hst__resolve_options; or NULL */
    int threads;        /**< >= 1 */
    double seconds_max; /**< see hst__plan_check_time; bounds constant folding too */
    hst_cpu_level cpu;
    bool no_passes;     /**< run the graph as it was read: the oracle in tests */
    bool may_cut;       /**< a tail may stay that a run evaluates */
    const char *folder; /**< where packed weights of an earlier planning may be kept, see
                             store.h; NULL: not looked for */
    const uint64_t *identity; /**< of the files that the graph is from, two words; NULL:
                                   none to tell */
} hst__plan_options;

struct hst__store;

typedef struct hst__plan {
    hst__graph
        *graph; /**< resolved and rewritten; shares weights with the model's graph */
    hst__graph *tail; /**< NULL, or what must wait for a run's values, see hst__cut: the
                         steps make its last inputs, and `graph` is its head */
    hst__arena arena;
    hst__op_blocks blocks;    /**< packed weights and aligned copies of constants */
    struct hst__store *store; /**< NULL, or what some of them lie in */
    hst__step *steps;
    int n_steps;
    hst__slot *slots; /**< slot 0 is the absent one; value v has slot v + 1 */
    int n_slots;
    size_t arena_bytes; /**< what a session takes for activations */
    size_t live_bytes;  /**< lower bound: the largest sum of bytes alive in one step */
    size_t scratch_bytes;
    int threads;
    hst_cpu_level cpu;
    double macs;
    double ns;   /**< rough time of a run on one core */
    int slowest; /**< the step that takes most of it */
} hst__plan;

/** Plans `graph` (not changed; must outlive the plan). Errors as hst__resolve, plus NOMEM
 * and LIMIT. *out is the caller's. */
hst_status hst__plan_create(const hst__graph *graph, const hst__plan_options *options,
                            hst__plan **out, hst_error *err);
void hst__plan_destroy(hst__plan *p);

/** HST_E_LIMIT, naming the slowest step, where a run is estimated to take longer than so
 * many seconds on one core. */
hst_status hst__plan_check_time(const hst__plan *p, double seconds_max, hst_error *err);

/** Assigns arena offsets to the slots; part of planning, in a file of its own. */
hst_status hst__plan_memory(hst__plan *p, hst_error *err);

#endif
