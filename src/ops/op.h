/* What an operator is. One operator = one file that defines a `const hst__op`.
 *
 *   infer    shapes and element types of the outputs from those of the inputs (all known)
 *   prepare  chooses the kernel, packs weights, asks for scratch, fills a step
 *   step.run does the work; called many times; allocates nothing, checks nothing
 */
#ifndef HST_OPS_OP_H
#define HST_OPS_OP_H

#include "base/cpu.h"
#include "base/pool.h"
#include "graph/graph.h"

enum { HST__OP_MAX_IN = 256, HST__OP_MAX_OUT = 64, HST__OP_VARIADIC = 255 };

typedef struct hst__step hst__step;

/** Where a run met an index outside its data: the first such step, or NULL. */
typedef struct hst__fault {
    _Atomic(const hst__step *) step;
} hst__fault;

/** What a step sees while it runs. */
typedef struct hst__run {
    void *const *ptr; /**< address of each slot; NULL for an absent input or output */
    char *scratch;    /**< 128-byte aligned; see step->scratch and step->worker_scratch */
    int threads;      /**< for hst__pool_run */
    hst__fault *fault;
} hst__run;

/** FORMAT, naming the node, where a step met an index outside; HST_OK else. */
hst_status hst__fault_status(const hst__fault *f, hst_error *err);

typedef void hst__step_run(const hst__step *s, const hst__run *r);

/** What a step hands to the tasks that it gives to the thread pool. */
typedef struct hst__step_job {
    const hst__step *step;
    const hst__run *run;
} hst__step_job;

/** One captured piece of work. Immutable after preparing; shared by threads. */
struct hst__step {
    hst__step_run *run;
    const void *state; /**< what prepare made, in the plan's memory */
    int n_in, n_out;
    const uint32_t *in, *out; /**< slots; slot 0 is always NULL: absent */
    const hst__desc *in_desc, *out_desc;
    size_t scratch;        /**< bytes shared by all workers of this step */
    size_t worker_scratch; /**< bytes for each worker, beyond the shared part */

    /* Told to the planner. */
    int alias; /**< i+1: output 0 is input i in other clothes, nothing to run */
    uint64_t
        in_place; /**< bit i: output 0 may overwrite input i (same bytes, elementwise) */
    uint64_t consumed;  /**< bit i: constant input i was packed, run does not read it */
    uint64_t unaligned; /**< bit i: run reads input i bytewise; it may be unaligned */

    /* Told to the profile. */
    const char *kernel; /**< static text: which kernel was picked */
    double macs;        /**< multiply-accumulates; 0 where it makes no sense */
    double ns; /**< rough time of the loops on one core, set where it is more than macs
                  and elements tell; for limits, see hst__step_ns */
    const hst__node *node;
};

/** One node being planned; every field is set before infer and prepare are called. */
typedef struct hst__op_ctx {
    const hst__node *node;
    int n_in, n_out;
    const hst__desc
        *in; /**< dtype HST_DTYPE_NONE for an absent input; else fully known */
    const hst_tensor *const *in_const; /**< value of an input known now, or NULL */
    hst__desc *out;                    /**< written by infer */
    const bool *out_wanted;            /**< an optional output that nobody reads: false */
    hst_cpu_level cpu;                 /**< resolved, never AUTO */
    int threads;
    hst__arena *arena; /**< small state; lives as long as the step */
    struct hst__op_blocks
        *blocks; /**< large buffers (packed weights), see hst__op_block */
    hst_error *err;
} hst__op_ctx;

typedef struct hst__op {
    int first_opset;    /**< lowest opset of its domain that is implemented */
    int last_opset;     /**< highest one it is known to be right for */
    int min_in, max_in; /**< as the standard says; HST__OP_VARIADIC for any number */
    int min_out, max_out;
    bool impure; /**< never folded (random numbers) */
    hst_status (*infer)(hst__op_ctx *c);
    hst_status (*prepare)(hst__op_ctx *c, hst__step *s);
} hst__op;

/** The implementation of a kind; NULL for HST__OP_UNKNOWN. */
const hst__op *hst__op_get(hst__op_kind kind);

/** Errors with the node's label in front; for use in infer and prepare. */
__attribute__((format(printf, 3, 4))) hst_status
hst__op_fail(hst__op_ctx *c, hst_status status, const char *format, ...);
/** HST_E_UNSUPPORTED for the element type of input i, with what is supported. */
hst_status hst__op_bad_type(hst__op_ctx *c, int input, const char *supported);

static inline bool hst__op_has(const hst__op_ctx *c, int i) {
    return i < c->n_in && c->in[i].dtype != HST_DTYPE_NONE;
}
static inline bool hst__op_wants(const hst__op_ctx *c, int i) {
    return i < c->n_out && c->out_wanted[i];
}
/** Sets output i; dims may be NULL for rank 0. Fails when the size overflows. */
hst_status hst__op_set_out(hst__op_ctx *c, int i, hst_dtype dtype, int rank,
                           const int64_t *dims);
/** The integers of constant input i (s64, s32, u8 ... of rank 0 or 1), at most cap.
 * HST_E_VALUE_NEEDED where it is not known before the run, FORMAT where absent. */
hst_status hst__op_ints(hst__op_ctx *c, int i, int64_t *out, int cap, int *count);
/** Likewise for floats (f32, f16, f64 or any integer type). */
hst_status hst__op_floats(hst__op_ctx *c, int i, float *out, int cap, int *count);
/** One scalar of a constant input, or the fallback where the input is absent. */
hst_status hst__op_scalar_int(hst__op_ctx *c, int i, int64_t fallback, int64_t *out);
hst_status hst__op_scalar_float(hst__op_ctx *c, int i, float fallback, float *out);
/** An axis attribute normalised to 0..rank-1 (0..rank when `end` allows one past it). */
hst_status hst__op_axis(hst__op_ctx *c, int64_t axis, int rank, bool end, int *out);
/** NumPy broadcasting of two shapes. Errors: SHAPE, with both shapes. */
hst_status hst__op_broadcast(hst__op_ctx *c, const hst__desc *a, const hst__desc *b,
                             hst__desc *out);
/** Zeroed state of the step's lifetime; NULL when out of memory (then return
 * hst__op_nomem). */
void *hst__op_state(hst__op_ctx *c, size_t bytes);
/** A large 128-byte aligned buffer of the plan's lifetime, to be filled unless *filled
 * says that it is, with the same, from an earlier planning: not to be written then.
 * Without `filled` it never is. NULL when there is none (then return hst__op_nomem). What
 * goes into it must depend on the node, its constants, the shapes and the CPU level
 * alone. */
void *hst__op_block(hst__op_ctx *c, size_t bytes, bool *filled);
hst_status hst__op_nomem(hst__op_ctx *c, size_t bytes);
/** Bytes of a constant that is not needed any more may leave memory (a file map's pages).
 */
void hst__op_release(const hst_tensor *t);

static inline void *hst__in(const hst__step *s, const hst__run *r, int i) {
    return i < s->n_in ? r->ptr[s->in[i]] : NULL;
}
static inline void *hst__out(const hst__step *s, const hst__run *r, int i) {
    return i < s->n_out ? r->ptr[s->out[i]] : NULL;
}
static inline char *hst__worker_scratch(const hst__step *s, const hst__run *r,
                                        int worker) {
    return r->scratch + hst__round_up(s->scratch, HST__ALIGN) +
           (size_t)worker * hst__round_up(s->worker_scratch, HST__ALIGN);
}

typedef struct hst__op_block_item {
    void *data;
    size_t bytes;
    bool kept; /**< not ours to free */
} hst__op_block_item;

typedef struct hst__op_blocks {
    hst__op_block_item *items; /**< in the order in which they were asked for */
    int count, cap;
    void *(*find)(void *user, int index, size_t bytes); /**< an earlier planning's block;
                                                             NULL where there is none */
    void *user; /**< for find, which may be NULL */
    size_t bytes;
    size_t bytes_max; /**< 0: no limit */
    bool full;        /**< a block was refused for it */
} hst__op_blocks;
void hst__op_blocks_fini(hst__op_blocks *b);

/** Of one multiply-accumulate of a good kernel, roundly. */
#define HST__MAC_NS 0.05

/** Rough time of a run of the step on one core, in nanoseconds: meant to tell seconds
 * from days, off by ten where it must be. The same for every CPU level. */
double hst__step_ns(const hst__step *s);

/** What evaluating nodes may still take; hst__op_eval counts it down. */
typedef struct hst__op_budget {
    double ns;
    bool exceeded; /**< a node was refused with HST_E_LIMIT for it */
} hst__op_budget;

/** Runs one node on known tensors (constant folding, graphs whose shapes depend on data).
 * in[i] may be NULL where absent. outs[i] become the caller's; all NULL on failure. */
hst_status hst__op_eval(const hst__node *node, const hst_tensor *const *in,
                        const bool *out_wanted, hst_cpu_level cpu, int threads,
                        hst__op_budget *budget, hst_tensor **outs, hst_error *err);

#endif
