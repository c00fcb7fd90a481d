/* C[M,N] = act(alpha * A[M,K] * B[K,N] + bias[N] + addend[M,N]) in f32.
 *
 * Use: init a plan from the shape (no memory taken), pack B into plan.packed_bytes, run
 * any cover of the tile grid, each piece with scratch of its own. A piece is a rectangle
 * of m_tiles x n_panels; every output element is computed by the same operations in the
 * same order whatever the pieces, so results do not depend on the number of threads.
 *
 * The packed form of B, with nr = kernel->nr columns in a panel:
 *     panel j holds columns j*nr .. j*nr+w-1 as [K][w]; it starts at float j*nr*K;
 *     w = nr, in the last panel the rest of the columns rounded up to 8, filled with
 * zeros. */
#ifndef HST_KERNELS_GEMM_H
#define HST_KERNELS_GEMM_H

#include "hasten/cpu.h"
#include "kernels/epilogue.h"

/** One call of a tile kernel: up to mr rows against any number of adjacent panels. The
 * sum runs over taps * kc products; taps are the positions of a convolution's window, one
 * for a plain product. */
typedef struct hst__gemm_f32_tile {
    const float *const *rows; /**< [taps][mr], where each row's runs of kc values start */
    size_t taps, kc;
    size_t offset;       /**< elements added to every row pointer */
    const float *packed; /**< the first panel */
    size_t panel_stride; /**< floats from one panel to the next */
    size_t k_begin;      /**< the row of each panel that the sum starts with */
    const float *next;   /**< NULL, or what is used soon: panel_stride floats on for each
                              panel, next_pace bytes of it for each product of a sum */
    size_t next_pace;
    float *c;
    size_t ldc;
    size_t m, n;         /**< rows 1..mr, columns >= 1 */
    const float *bias;   /**< at the first column, or NULL */
    const float *addend; /**< at the first element, or NULL; may be c */
    size_t ldd;
    float alpha;
    hst__act act; /**< a kind that is applied in registers */
} hst__gemm_f32_tile;

/** Packing of one panel. Source row k = c * taps + t goes to panel row
 * b + t * len + (c - b), where b = c rounded down to a multiple of block and len the
 * length of c's block of 0..k/taps-1; with taps = 1 that is k. So the values that one
 * position t of a convolution's window meets lie together. */
typedef struct hst__gemm_f32_panel {
    const char *b; /**< element (0, 0), maybe unaligned */
    size_t k_stride, n_stride;
    size_t k, n, w; /**< columns n..w-1 become zero; w a multiple of 8 up to nr */
    size_t taps, block;
    const float *scale; /**< [n] or NULL */
    float *packed;      /**< [k][w] */
} hst__gemm_f32_panel;

typedef void hst__gemm_f32_tile_fn(const hst__gemm_f32_tile *t);
typedef void hst__gemm_f32_panel_fn(const hst__gemm_f32_panel *p);

/** A row of the kernel table. */
typedef struct hst__gemm_f32_kernel {
    const char *name; /**< "gemm_f32_14x32__avx512" */
    hst_cpu_level level;
    size_t mr, nr; /**< nr is a multiple of 8 */
    hst__gemm_f32_tile_fn *tile;
    hst__gemm_f32_panel_fn *pack;
} hst__gemm_f32_kernel;

/** The best kernel up to `level` (AUTO: of this machine); never NULL. */
const hst__gemm_f32_kernel *hst__gemm_f32_pick(hst_cpu_level level);
/** Table entry i in rising order of level, NULL past the end. */
const hst__gemm_f32_kernel *hst__gemm_f32_at(size_t i);

enum { HST__GEMM_MR_MAX = 16 }; /**< upper bound of mr over all kernels */

typedef struct hst__gemm_f32_plan {
    const hst__gemm_f32_kernel *kernel;
    size_t m, n, k;
    size_t lda, ldc;      /**< row strides in elements; lda is A's as it lies in memory */
    bool a_transposed;    /**< A lies as [K, M] */
    bool copy_a;          /**< rows of A are gathered in scratch first */
    size_t kc;            /**< length of one block of the sum, by K alone */
    size_t m_tiles;       /**< ceil(m / mr) */
    size_t n_panels;      /**< ceil(n / nr) */
    size_t packed_bytes;  /**< of B; 64-byte aligned memory */
    size_t scratch_bytes; /**< for each thread, 64-byte aligned; maybe 0 */
    double tile_flops;    /**< of one tile x panel, for hst__split_tiles */
} hst__gemm_f32_plan;

/** Any m, n, k, also 0 (k = 0: the sum is 0). lda >= k (a_transposed: >= m), ldc >= n. A
 * row of the result depends on that row of A alone, bit for bit, not on m. False when
 * sizes overflow size_t. */
bool hst__gemm_f32_plan_init(hst__gemm_f32_plan *plan, hst_cpu_level level, size_t m,
                             size_t n, size_t k, bool a_transposed, size_t lda,
                             size_t ldc);

/** Where B lies and how: element (k, n) at b[k * k_stride + n * n_stride], so [K,N] is
 * {data, N, 1, 0} and [N,K] is {data, 1, K, 0}. data may be unaligned. */
typedef struct hst__gemm_f32_b {
    const void *data;
    size_t k_stride, n_stride; /**< elements */
    const float *scale;        /**< [N] factor of each column, or NULL */
} hst__gemm_f32_b;

/** Packs panels n_begin..n_end-1; packed is the start of the whole packed matrix. */
void hst__gemm_f32_pack(const hst__gemm_f32_plan *plan, const hst__gemm_f32_b *b,
                        float *packed, size_t n_begin, size_t n_end);

/** A rectangle of work: m in units of mr rows, n in panels of nr columns. */
typedef struct hst__tiles {
    size_t m_begin, m_end, n_begin, n_end;
} hst__tiles;

/** Pointers to whole matrices; each piece finds its own part. */
typedef struct hst__gemm_f32_args {
    const float *a;
    const float *packed;
    float *c; /**< must not overlap a or packed */
    const hst__epilogue *epilogue;
    void *scratch;
} hst__gemm_f32_args;

/** Inside, panels are taken in groups that stay in L2, many rows against one group before
 * the next, so a piece should have both many rows and many panels; hst__split_tiles makes
 * such pieces. */
void hst__gemm_f32_run(const hst__gemm_f32_plan *plan, const hst__gemm_f32_args *args,
                       const hst__tiles *tiles);

/** How a grid of m_tiles x n_panels is cut into pieces for a thread pool. */
typedef struct hst__split {
    size_t m_tiles, n_panels;
    size_t m_pieces, n_pieces; /**< m_pieces * n_pieces chunks */
} hst__split;

/** Chooses a cut for `threads` threads: one piece when there is one thread or little
 * work, else a few pieces a thread, so that a slow thread does not hold up the rest. */
hst__split hst__split_tiles(size_t m_tiles, size_t n_panels, double tile_flops,
                            int threads);
/** Chunks for hst__pool_run. */
static inline int hst__split_count(const hst__split *s) {
    return (int)(s->m_pieces * s->n_pieces);
}
/** The rectangle of chunk `index`. */
hst__tiles hst__split_piece(const hst__split *s, int index);

/** The definition: plain matrices, a at a[i*a_m + k*a_k], b at b[k*b_k + n*b_n], summed
 * in double. The row function of the epilogue is used for kinds not applied in registers.
 */
typedef struct hst__gemm_f32_ref_args {
    size_t m, n, k;
    const float *a, *b;
    size_t a_m, a_k, b_k, b_n;
    float *c;
    size_t ldc;
    const hst__epilogue *epilogue;
} hst__gemm_f32_ref_args;
void hst__gemm_f32__ref(const hst__gemm_f32_ref_args *args);

#endif
