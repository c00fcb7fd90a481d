/* Walking several tensors that broadcast to one shape. Dimensions are merged first, so that
 * what remains is a few loops around rows along which each operand either advances by one
 * element or stands still. */
#ifndef HST_OPS_BROADCAST_H
#define HST_OPS_BROADCAST_H

#include "ops/pieces.h"
#include "ops/types.h"

enum { HST__BCAST_IN = 3 };

typedef struct hst__bcast {
    int n_in, rank;            /**< rank: loops around the rows */
    size_t dims[HST_MAX_RANK]; /**< of the loops, outermost first */
    size_t stride[HST__BCAST_IN][HST_MAX_RANK]; /**< elements, per step of a loop */
    size_t inner[HST__BCAST_IN];                /**< elements, along a row: 0 or 1 */
    size_t row;                                 /**< elements of a row, at least 1 */
} hst__bcast;

/** A place in the walk. */
typedef struct hst__bcast_at {
    size_t index[HST_MAX_RANK];
    size_t offset[HST__BCAST_IN]; /**< elements: start of the row in each operand */
} hst__bcast_at;

/** in[k] must broadcast to out, which must not be empty. */
void hst__bcast_init(hst__bcast *b, const hst__desc *out, const hst__desc *in, int n_in);
/** The place of row number `row`. */
void hst__bcast_seek(const hst__bcast *b, size_t row, hst__bcast_at *at);

static inline void hst__bcast_next(const hst__bcast *b, hst__bcast_at *at) {
    for (int d = b->rank - 1; d >= 0; d--) {
        for (int k = 0; k < b->n_in; k++)
            at->offset[k] += b->stride[k][d];
        if (++at->index[d] < b->dims[d])
            return;
        for (int k = 0; k < b->n_in; k++)
            at->offset[k] -= b->stride[k][d] * b->dims[d];
        at->index[d] = 0;
    }
}

#endif
