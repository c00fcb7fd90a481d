/* 2-D convolution in f32, channels last, as a matrix product over output pixels:
 *     y[p, o] = act(sum over taps t, channels c of x[pixel(p, t), c] * w[o, c, t] ...)
 * M counts output pixels through rows and images alike, so 7x7 images fill tiles too.
 *
 * Use is that of gemm.h: plan from the description, pack the weights, run any cover of
 * the grid plan.m_tiles x plan.n_panels, each thread with scratch of its own. */
#ifndef HST_KERNELS_CONV_H
#define HST_KERNELS_CONV_H

#include "hasten/cpu.h"
#include "kernels/gemm.h"

/** The shape. Reads outside the input give 0, so bottom and right padding follow from the
 * output size and need no field. */
typedef struct hst__conv_f32_desc {
    size_t batch, in_h, in_w, in_c;
    size_t out_h, out_w, out_c;
    size_t groups; /**< divides in_c and out_c; >= 1 */
    size_t kernel_h, kernel_w;
    size_t stride_h, stride_w;     /**< >= 1 */
    size_t dilation_h, dilation_w; /**< >= 1 */
    ptrdiff_t pad_top, pad_left;   /**< negative crops */
    size_t x_stride; /**< elements from pixel to pixel, >= in_c; rows and images are dense
                          in pixels. Unused when input_nchw */
    size_t y_stride; /**< >= out_c */
    bool input_nchw; /**< x is planar [batch, in_c, in_h, in_w] */
    int threads;     /**< that will share the work, 0 like 1; no result depends on it */
} hst__conv_f32_desc;

typedef struct hst__conv_f32_plan hst__conv_f32_plan;

/** Pointers to whole tensors. bias is [out_c]; addend has the output's pixels as rows. */
typedef struct hst__conv_f32_args {
    const float *x;
    const float *packed;
    float *y; /**< must not overlap x */
    const hst__epilogue *epilogue;
    void *scratch;
} hst__conv_f32_args;

/** A candidate: a way to compute convolutions of some shapes. */
typedef struct hst__conv_f32_kernel {
    const char *name; /**< "conv_f32_direct" ..., unique */
    bool approximate; /**< rounds by the size of neighbouring outputs too, and NaN and
                           infinity spread to them */
    /** Completes the plan, whose desc, gemm kernel and taps are set; false: not for this
     * shape. */
    bool (*plan)(hst__conv_f32_plan *plan);
    /** Whether it is likely the fastest for the plan it made; NULL: always. */
    bool (*worth)(const hst__conv_f32_plan *plan);
    /** How the grid is best cut for desc.threads; NULL: hst__split_tiles. */
    hst__split (*split)(const hst__conv_f32_plan *plan);
    void (*pack)(const hst__conv_f32_plan *plan, const void *weights, const float *scale,
                 float *packed, size_t n_begin, size_t n_end);
    void (*run)(const hst__conv_f32_plan *plan, const hst__conv_f32_args *args,
                const hst__tiles *tiles);
} hst__conv_f32_kernel;

struct hst__conv_f32_plan {
    hst__conv_f32_desc desc;
    const hst__conv_f32_kernel *kernel;
    const hst__gemm_f32_kernel *gemm;   /**< the tile kernel below it */
    size_t taps;                        /**< kernel_h * kernel_w */
    size_t group_in, group_out;         /**< channels of one group */
    size_t group_panels;                /**< panels of one group */
    size_t run;                         /**< values that a tap reads side by side */
    size_t block_taps, block_run;       /**< one block of the sum, by shape alone */
    size_t copy_floats;                 /**< of a tile whose rows are gathered, or 0 */
    size_t winograd_block;              /**< output tiles of m x m in one grid row */
    size_t m_tiles, n_panels;           /**< the grid */
    size_t packed_bytes, scratch_bytes; /**< as in hst__gemm_f32_plan */
    double tile_flops;                  /**< of one tile x panel, for hst__split_tiles */
};

/** The plan with the first candidate that takes the shape and is worth it. False when
 * sizes overflow or the description is impossible (zero stride, groups that do not
 * divide). */
bool hst__conv_f32_plan_init(hst__conv_f32_plan *plan, const hst__conv_f32_desc *desc,
                             hst_cpu_level level);
/** The same with a candidate of the caller's choice; false also when it refuses. */
bool hst__conv_f32_plan_with(hst__conv_f32_plan *plan, const hst__conv_f32_desc *desc,
                             hst_cpu_level level, const hst__conv_f32_kernel *kernel);
/** Candidate i in order of preference, NULL past the end. */
const hst__conv_f32_kernel *hst__conv_f32_at(size_t i);

/** How the grid is best cut for desc.threads. */
hst__split hst__conv_f32_split(const hst__conv_f32_plan *plan);

/** Packs panels n_begin..n_end-1 of weights [out_c, in_c/groups, kernel_h, kernel_w]
 * (maybe unaligned), output channel o multiplied by scale[o] where scale is given. */
void hst__conv_f32_pack(const hst__conv_f32_plan *plan, const void *weights,
                        const float *scale, float *packed, size_t n_begin, size_t n_end);

/** Runs a rectangle of the grid; see hst__gemm_f32_run for good rectangles. */
void hst__conv_f32_run(const hst__conv_f32_plan *plan, const hst__conv_f32_args *args,
                       const hst__tiles *tiles);

#endif
