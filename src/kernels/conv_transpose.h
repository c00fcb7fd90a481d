/* Transposed 2-D convolution in f32, channels last:
 *     y[o] = act(sum over x[i] * w[k] wherever o = i * stride + k * dilation - pad ...)
 * Outputs whose positions leave the same remainder by the stride meet the same taps: each
 * such phase is an ordinary convolution with part of the window, so nothing is scattered.
 *
 * Use is that of conv.h, but the grid is output rows x panels. */
#ifndef HST_KERNELS_CONV_TRANSPOSE_H
#define HST_KERNELS_CONV_TRANSPOSE_H

#include "kernels/conv.h"

typedef struct hst__conv_transpose_f32_plan {
    hst__conv_f32_desc desc; /**< `in` is x, `out` is y; input_nchw is false */
    const hst__gemm_f32_kernel *gemm;
    size_t group_in, group_out;         /**< channels of one group */
    size_t group_panels;                /**< panels of one group */
    size_t tap_floats;                  /**< packed size of one tap of the window */
    size_t rows, n_panels;              /**< the grid; rows = batch * out_h */
    size_t packed_bytes, scratch_bytes; /**< as in hst__gemm_f32_plan */
    double row_flops;                   /**< of one row x panel, for hst__split_tiles */
} hst__conv_transpose_f32_plan;

/** False when sizes overflow or the description is impossible. The output size is the
 * caller's: outputs that no input reaches are act(bias + addend). */
bool hst__conv_transpose_f32_plan_init(hst__conv_transpose_f32_plan *plan,
                                       const hst__conv_f32_desc *desc,
                                       hst_cpu_level level);

/** Packs panels n_begin..n_end-1 of weights [in_c, out_c/groups, kernel_h, kernel_w]
 * (maybe unaligned), output channel o multiplied by scale[o] where scale is given. */
void hst__conv_transpose_f32_pack(const hst__conv_transpose_f32_plan *plan,
                                  const void *weights, const float *scale, float *packed,
                                  size_t n_begin, size_t n_end);

/** Runs output rows tiles->m_begin..m_end-1 against some panels. Any cutting gives the
 * same bits. */
void hst__conv_transpose_f32_run(const hst__conv_transpose_f32_plan *plan,
                                 const hst__conv_f32_args *args, const hst__tiles *tiles);

#endif
