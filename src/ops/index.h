/* Indices as Gather and its kin read them: negative ones count from the end; one that is
 * still outside is told as -1. The step then goes on with zeros, or without an update,
 * and the run fails when it is over. */
#ifndef HST_OPS_INDEX_H
#define HST_OPS_INDEX_H

#include <stdatomic.h>

#include "ops/op.h"

static inline void hst__index_outside(const hst__step *step, const hst__run *r) {
    const hst__step *none = NULL;
    atomic_compare_exchange_strong(&r->fault->step, &none, step);
}

/** v on an axis of `size` elements. */
static inline int64_t hst__index_wrap(int64_t v, int64_t size) {
    v = v < 0 ? v + size : v;
    return v >= 0 && v < size ? v : -1;
}

/** Index i of an array of s64 (wide) or s32. */
static inline int64_t hst__index_at(const void *indices, bool wide, size_t i,
                                    int64_t size) {
    return hst__index_wrap(
        wide ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i], size);
}

/** The slice that `depth` indices name in data whose outer dimensions are dims. */
static inline int64_t hst__index_slice(const int64_t *dims, int depth,
                                       const int64_t *row) {
    int64_t at = 0;
    for (int k = 0; k < depth; k++) {
        int64_t v = hst__index_wrap(row[k], dims[k]);
        if (v < 0)
            return -1;
        at = at * dims[k] + v;
    }
    return at;
}

#endif
