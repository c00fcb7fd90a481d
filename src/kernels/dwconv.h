/* Depthwise 2-D convolution in f32, channels last: each input channel makes `multiplier`
 * output channels of its own (ONNX: group = in_c, out_c = in_c * multiplier). */
#ifndef HST_KERNELS_DWCONV_H
#define HST_KERNELS_DWCONV_H

#include "hasten/cpu.h"
#include "kernels/epilogue.h"

/** The shape. Reads outside the input give 0. */
typedef struct hst__dwconv_f32_desc {
    size_t batch, in_h, in_w, in_c;
    size_t out_h, out_w;
    size_t multiplier; /**< out_c = in_c * multiplier, >= 1 */
    size_t kernel_h, kernel_w;
    size_t stride_h, stride_w;     /**< >= 1 */
    size_t dilation_h, dilation_w; /**< >= 1 */
    ptrdiff_t pad_top, pad_left;   /**< negative crops */
    size_t x_stride;               /**< elements from pixel to pixel, >= in_c */
    size_t y_stride;               /**< >= out_c */
} hst__dwconv_f32_desc;

typedef struct hst__dwconv_f32_plan hst__dwconv_f32_plan;

/** Pointers to whole tensors. bias is [out_c]; addend has the output's pixels as rows;
 * alpha is ignored (fold it into the packed weights). */
typedef struct hst__dwconv_f32_args {
    const float *x;
    const float *packed;
    float *y; /**< must not overlap x */
    const hst__epilogue *epilogue;
} hst__dwconv_f32_args;

/** One output row, some channels of it. Rows of the window that lie outside the input are
 * cut off before; columns are the kernel's business. */
typedef struct hst__dwconv_f32_part {
    const float *x; /**< column 0 of the input row that the window's first row meets */
    size_t in_cols; /**< columns of the input */
    ptrdiff_t first_col;     /**< where the first pixel's window starts, maybe outside */
    size_t col_step;         /**< floats from one input column to the next */
    size_t row_step;         /**< floats from one row of the window to the next */
    size_t stride, dilation; /**< of the columns */
    size_t rows, cols;       /**< of the window; rows may be 0 */
    const float *w;          /**< packed weights of the first channel and row */
    size_t w_row_step;   /**< floats from one row of the weights' window to the next */
    size_t w_block_step; /**< floats from 16 channels to the next 16 */
    float *y;
    size_t y_step; /**< floats from one output pixel to the next */
    size_t pixels, channels;
    const float *bias;   /**< at the first channel, or NULL */
    const float *addend; /**< at the first pixel and channel, or NULL; may be y */
    size_t ldd;
    hst__act act; /**< a kind that is applied in registers */
} hst__dwconv_f32_part;

typedef void hst__dwconv_f32_part_fn(const hst__dwconv_f32_part *p);

/** A row of the kernel table. */
typedef struct hst__dwconv_f32_kernel {
    const char *name;
    hst_cpu_level level;
    hst__dwconv_f32_part_fn *part;
} hst__dwconv_f32_kernel;

enum { HST__DWCONV_BLOCK = 16 }; /**< channels whose weights lie together */

struct hst__dwconv_f32_plan {
    hst__dwconv_f32_desc desc;
    const hst__dwconv_f32_kernel *kernel;
    size_t out_c;
    size_t rows;         /**< batch * out_h: the unit of split is one output row */
    size_t packed_bytes; /**< weights as [out_c / 16][kernel_h * kernel_w][16], zeros in
                              the last block; 64-byte aligned */
    size_t chunk;        /**< channels done at a time, so that input rows stay in L2 */
    double row_flops;    /**< work of one row, to judge how far splitting pays */
};

/** False when sizes overflow or the description is impossible. */
bool hst__dwconv_f32_plan_init(hst__dwconv_f32_plan *plan,
                               const hst__dwconv_f32_desc *desc, hst_cpu_level level);
/** Packs weights [out_c, 1, kernel_h, kernel_w] (maybe unaligned), output channel o
 * multiplied by scale[o] where scale is given. */
void hst__dwconv_f32_pack(const hst__dwconv_f32_plan *plan, const void *weights,
                          const float *scale, float *packed);
/** Output rows row_begin..row_end-1 out of plan->rows. Any cutting gives the same bits.
 */
void hst__dwconv_f32_run(const hst__dwconv_f32_plan *plan,
                         const hst__dwconv_f32_args *args, size_t row_begin,
                         size_t row_end);
/** Table entry i in rising order of level, NULL past the end. */
const hst__dwconv_f32_kernel *hst__dwconv_f32_at(size_t i);

#endif
