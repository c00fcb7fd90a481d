/* Plans of one model, kept and shared: the same shapes, bound values, threads and CPU
 * level are planned once. Thread-safe. */
#ifndef HST_PLAN_CACHE_H
#define HST_PLAN_CACHE_H

#include <pthread.h>

#include "plan/plan.h"

typedef struct hst__plan_entry {
    struct hst__plan_entry *next; /**< most recently used first */
    hst__plan *plan;
    hst__desc *inputs;
    hst_tensor **values; /**< own copies of bound input values; NULL where not bound */
    int n_inputs, threads;
    hst_cpu_level cpu;
    bool no_passes;
    int users;
    uint64_t plan_ns;
} hst__plan_entry;

typedef struct hst__plan_cache {
    pthread_mutex_t lock;
    hst__plan_entry *entries;
    int count;
} hst__plan_cache;

enum { HST__PLAN_CACHE_KEEP = 8 }; /**< unused plans beyond this many are dropped */

void hst__plan_cache_init(hst__plan_cache *c);
/** No entry may be in use. */
void hst__plan_cache_fini(hst__plan_cache *c);
/** A plan for these options, made where there is none. *out stays valid until released.
 * Errors as hst__plan_create. */
hst_status hst__plan_cache_get(hst__plan_cache *c, const hst__graph *graph,
                               const hst__plan_options *options, hst__plan_entry **out,
                               hst_error *err);
void hst__plan_cache_release(hst__plan_cache *c, hst__plan_entry *entry);

#endif
