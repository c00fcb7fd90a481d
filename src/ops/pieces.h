/* Work cut into pieces for the thread pool: about four a thread, so that a slow thread does
 * not hold up the rest, but none shorter than what handing it over costs. Where the cuts
 * lie never changes a result: a piece computes its own outputs and nothing else. */
#ifndef HST_OPS_PIECES_H
#define HST_OPS_PIECES_H

#include "base/pool.h"

#include <stddef.h>

typedef struct hst__pieces {
    size_t total, each; /**< units of work; each piece has `each`, the last one less */
    int count;
} hst__pieces;

/** Cuts `total` units of about unit_ns nanoseconds; pieces start at multiples of grain. */
hst__pieces hst__pieces_cut(size_t total, double unit_ns, size_t grain, int threads);

/** Units from..to-1 are piece i. */
static inline void hst__pieces_get(const hst__pieces *p, int i, size_t *from,
                                   size_t *to) {
    *from = (size_t)i * p->each;
    *to = *from + p->each < p->total ? *from + p->each : p->total;
}

#endif
