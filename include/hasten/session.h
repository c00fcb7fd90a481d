/* A session runs a model. It belongs to one thread at a time; it owns its activations. */
#ifndef HASTEN_SESSION_H
#define HASTEN_SESSION_H

#include "hasten/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hst_session hst_session;

/** The shape of one input whose dimensions are free in the file. */
typedef struct hst_input_shape {
    const char *name;
    int rank;
    int64_t dims[HST_MAX_RANK];
} hst_input_shape;

typedef struct hst_session_options {
    size_t struct_size; /**< set by hst_session_options_init */
    int threads;        /**< 0: as many as affinity mask and cgroup quota give */
    hst_cpu_level cpu;  /**< highest level to use; AUTO: what the machine has */
    const hst_input_shape *shapes; /**< for free dimensions; may be NULL */
    size_t n_shapes;
    int exact; /**< 1: run the graph node by node as it was read, without fusion */
    double seconds_max; /**< plans whose run is estimated to take longer on one core are
                             refused with HST_E_LIMIT; 0: 3600. The estimate is rough and
                             the same on every machine: it tells seconds from days */
    const char *plan_folder; /**< where hst_session_store_plan may have kept packed
                                  weights; what fits is mapped instead of packed anew.
                                NULL: not looked for. Must stay valid with the session */
} hst_session_options;

HST_API void hst_session_options_init(hst_session_options *options);

/** Plans the model when all input shapes are known (declared or given); else the first
 * run does. options may be NULL. *out is the caller's; the model must outlive it. Errors:
 * SHAPE, TYPE, UNSUPPORTED, FORMAT, LIMIT, NOMEM, ARG; those of hst_model_check. */
HST_API hst_status hst_session_create(hst_model *model,
                                      const hst_session_options *options,
                                      hst_session **out, hst_error *err);
HST_API void hst_session_destroy(hst_session *session);

/** Runs once. inputs[i] belongs to graph input i (hst_model_get_input); they are read,
 * not kept. Shapes that differ from the last run are planned anew (plans are kept and
 * shared by the sessions of a model). In steady state this allocates nothing. Errors: ARG
 * (count), SHAPE, TYPE, FORMAT (an index that lies outside the data it is for; the
 * outputs are then undefined); those of hst_session_create when planning is needed. */
HST_API hst_status hst_session_run(hst_session *session, const hst_tensor *const *inputs,
                                   size_t n_inputs, hst_error *err);
/** Plans for these inputs without running. */
HST_API hst_status hst_session_prepare(hst_session *session,
                                       const hst_tensor *const *inputs, size_t n_inputs,
                                       hst_error *err);

/** Result of the last run, owned by the session, valid until its next run; NULL before
 * the first run and for an index that does not exist. */
HST_API const hst_tensor *hst_session_output(const hst_session *session, size_t index);

/** A file of packed weights. */
typedef struct hst_stored_plan {
    char path[4096];
    size_t bytes;
} hst_stored_plan;

/** Keeps the plan of this session's shapes in a folder, made if need be (mode 0700): its
 * packed weights, for sessions that are created with it as plan_folder. A file is good
 * for one build of the library, one CPU level, one model (by its content) and one set of
 * input shapes, for any number of threads; where none of these fits, or it is damaged, it
 * is passed over. Files may be deleted at any time. out may be NULL. Errors: ARG (the
 * session is not planned, or its plan depends on the values of inputs), IO, NOMEM,
 * UNSUPPORTED (a build that the linker gave no identification). */
HST_API hst_status hst_session_store_plan(const hst_session *session, const char *folder,
                                          hst_stored_plan *out, hst_error *err);

/** What a session has decided; zeros before it is planned. */
typedef struct hst_session_info {
    int threads;
    hst_cpu_level cpu;
    size_t steps;             /**< after fusion; what hst_session_get_step counts */
    size_t arena_bytes;       /**< activations */
    size_t arena_bound_bytes; /**< lower bound: the most bytes alive at once */
    size_t scratch_bytes;
    size_t weight_bytes; /**< packed or copied weights, shared by sessions */
    double macs;         /**< multiply-accumulates of one run */
    uint64_t plan_ns;    /**< time that planning took */
    int stored;          /**< 1: packed weights were not packed, but found stored */
    int dynamic; /**< 1: shapes depend on data; behind the steps of the plan each run
                    evaluates the nodes that wait for it one by one */
} hst_session_info;
HST_API void hst_session_get_info(const hst_session *session, hst_session_info *out);

/** One step of the plan. Texts live as long as the session's plan. */
typedef struct hst_step_info {
    const char *name;   /**< of the node in the file; may be "" */
    const char *op;     /**< operator */
    const char *kernel; /**< which kernel was picked */
    const char *fused;  /**< activation that was fused into it; "" for none */
    hst_tensor_info output;
    double macs;
    size_t read_bytes, written_bytes, weight_bytes;
    int view; /**< 1: costs nothing, its output is its input in another shape */
} hst_step_info;
HST_API hst_status hst_session_get_step(const hst_session *session, size_t index,
                                        hst_step_info *out, hst_error *err);

/** Like hst_session_run, and writes the duration of each step into step_ns (steps of
 * hst_session_get_info; views get 0). Costs two clock reads a step. */
HST_API hst_status hst_session_run_timed(hst_session *session,
                                         const hst_tensor *const *inputs, size_t n_inputs,
                                         uint64_t *step_ns, hst_error *err);

/** Threads that the process may use: affinity mask capped by the cgroup quota; >= 1. */
HST_API int hst_default_threads(void);

#ifdef __cplusplus
}
#endif
#endif
