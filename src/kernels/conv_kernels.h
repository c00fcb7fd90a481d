/* The candidates of conv.def, and what they share. */
#ifndef HST_KERNELS_CONV_KERNELS_H
#define HST_KERNELS_CONV_KERNELS_H

#include "kernels/conv.h"
#include "kernels/gemm_loop.h"

#define CONV_F32_KERNEL(name) extern const hst__conv_f32_kernel hst__##name;
#include "kernels/conv.def"
#undef CONV_F32_KERNEL

/** True when the shape makes sense and offsets and positions can be computed without
 * overflow. */
bool hst__conv_f32_is_possible(const hst__conv_f32_desc *d);

/** Packing for plans whose sum runs over taps * group_in, or, with natural order, over
 * group_in * taps as the weights lie. */
void hst__conv_f32_pack_taps(const hst__conv_f32_plan *plan, const void *weights,
                             const float *scale, float *packed, size_t n_begin,
                             size_t n_end);
void hst__conv_f32_pack_natural(const hst__conv_f32_plan *plan, const void *weights,
                                const float *scale, float *packed, size_t n_begin,
                                size_t n_end);

/** A loop with all fields set but table, rows, source and group_offset, for a sum of
 * taps * plan->run and m output pixels from `y`, `addend` of `epilogue` on. */
hst__gemm_f32_loop hst__conv_f32_loop(const hst__conv_f32_plan *plan,
                                      const hst__conv_f32_args *args, size_t taps);

/** Where the window of an output pixel starts: first input row and column, maybe outside.
 */
typedef struct hst__conv_f32_pixel {
    size_t image, out_row, out_col;
} hst__conv_f32_pixel;

static inline hst__conv_f32_pixel hst__conv_f32_pixel_at(const hst__conv_f32_desc *d,
                                                         size_t m) {
    size_t line = m / d->out_w;
    return (hst__conv_f32_pixel){line / d->out_h, line % d->out_h, m % d->out_w};
}

static inline void hst__conv_f32_pixel_next(const hst__conv_f32_desc *d,
                                            hst__conv_f32_pixel *p) {
    if (++p->out_col < d->out_w)
        return;
    p->out_col = 0;
    if (++p->out_row < d->out_h)
        return;
    p->out_row = 0;
    p->image++;
}

static inline ptrdiff_t hst__conv_f32_in_row(const hst__conv_f32_desc *d,
                                             size_t out_row) {
    return (ptrdiff_t)(out_row * d->stride_h) - d->pad_top;
}

static inline ptrdiff_t hst__conv_f32_in_col(const hst__conv_f32_desc *d,
                                             size_t out_col) {
    return (ptrdiff_t)(out_col * d->stride_w) - d->pad_left;
}

#endif
