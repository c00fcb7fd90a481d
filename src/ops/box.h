/* Copying a box of elements from one strided place to another: Transpose, Slice, Expand,
 * Tile, Pad. Elements are bytes of a known size, so every type will do, and no alignment
 * is asked for. */
#ifndef HST_OPS_BOX_H
#define HST_OPS_BOX_H

#include "kernels/transpose.h"
#include "ops/pieces.h"
#include "ops/types.h"

enum { HST__BOX_RANK = 2 * HST_MAX_RANK };

/** Loops from the outermost to the innermost; strides in bytes, 0 to repeat, negative to
 * walk backwards. */
typedef struct hst__box {
    int rank;
    size_t dims[HST__BOX_RANK];
    ptrdiff_t from[HST__BOX_RANK], to[HST__BOX_RANK];
    size_t item;                /**< bytes moved together */
    bool transposed;            /**< the two innermost loops are a matrix transposition */
    size_t units;               /**< what a copy can be cut into */
    hst__transpose_u32 *vector; /**< of a transposition of 4-byte items; NULL: plain */
} hst__box;

/** Appends a loop inside the others. */
static inline void hst__box_loop(hst__box *b, size_t n, ptrdiff_t from, ptrdiff_t to) {
    b->dims[b->rank] = n;
    b->from[b->rank] = from;
    b->to[b->rank++] = to;
}
/** Merges loops, orders them and counts units; call once after the last loop. */
void hst__box_close(hst__box *b);
/** Copies units first..last-1. */
void hst__box_copy(const hst__box *b, char *to, const char *from, size_t first,
                   size_t last);

/** A step that is one box: from input 0 at byte `offset` to output 0. */
hst_status hst__box_prepare(hst__op_ctx *c, hst__step *s, const hst__box *b,
                            size_t offset);

#endif
