/* The loops over panels, blocks of the sum and tiles that matrix products and
 * convolutions share; what differs is where a tile's rows come from. */
#ifndef HST_KERNELS_GEMM_LOOP_H
#define HST_KERNELS_GEMM_LOOP_H

#include "kernels/gemm.h"

/** What the loop asks of the source of rows. */
typedef struct hst__gemm_f32_block {
    size_t m_begin, m; /**< rows of the tile, m <= mr */
    size_t tap_begin, taps;
    size_t run_begin, run; /**< the part of every run that is read */
    const float **table;   /**< [taps][mr], to be filled */
} hst__gemm_f32_block;

/** Fills the table with where the runs of group 0 start: their first value, or, when rows
 * are gathered for this block, value run_begin. */
typedef void hst__gemm_f32_rows(void *source, const hst__gemm_f32_block *block);

/** A product whose columns fall into groups, each with rows of its own. */
typedef struct hst__gemm_f32_loop {
    const hst__gemm_f32_kernel *kernel;
    size_t m;
    size_t taps, run;             /**< K = taps * run */
    size_t block_taps, block_run; /**< fixed by shape: the order of summation */
    size_t group_n, group_panels; /**< columns and panels of one group */
    size_t group_floats;          /**< packed size of one group */
    size_t group_offset;          /**< elements from one group's rows to the next's */
    bool gathered;                /**< rows lie in scratch, at their first value */
    const float *packed;
    const float *then; /**< packed of the product of this shape that follows, or NULL */
    float *c;
    size_t ldc;
    const hst__epilogue *epilogue;
    const float **table; /**< [block_taps][mr] */
    hst__gemm_f32_rows *rows;
    void *source;
} hst__gemm_f32_loop;

void hst__gemm_f32_loop_run(const hst__gemm_f32_loop *loop, const hst__tiles *tiles);

/** Cuts a sum of taps * run products: block_taps * block_run is what one tile call does.
 */
void hst__gemm_f32_block_size(size_t taps, size_t run, size_t *block_taps,
                              size_t *block_run);

/** Floats of one panel row: nr, less in the last of a group. */
size_t hst__gemm_f32_panel_width(size_t n, size_t panel, size_t nr);
/** Packed floats of a K x n matrix; false on overflow. */
bool hst__gemm_f32_packed_floats(size_t k, size_t n, size_t nr, size_t *floats);

/** True when rows `stride` floats apart fall on so few cache sets that they drive each
 * other out of L1 while a tile is worked on. */
bool hst__gemm_f32_aliases(size_t stride, size_t rows);
/** Row stride of gathered rows of `run` floats: an odd number of cache lines, so that
 * rows spread over the cache sets. */
size_t hst__gemm_f32_gather_stride(size_t run);

#endif
