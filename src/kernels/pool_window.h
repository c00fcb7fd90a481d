/* Where the windows of pooling lie, for the kernels of every level. */
#ifndef HST_KERNELS_POOL_WINDOW_H
#define HST_KERNELS_POOL_WINDOW_H

#include "kernels/pool.h"

/** The taps of output position o whose reads lie inside the input: begin..end-1. */
static inline void hst__pool_taps(const hst__pool_desc *d, int i, ptrdiff_t o,
                                  ptrdiff_t *begin, ptrdiff_t *end) {
    ptrdiff_t at = o * d->stride[i] - d->pad_begin[i], step = d->dilation[i];
    *begin = at < 0 ? (-at + step - 1) / step : 0;
    *end = at >= d->in[i] ? 0 : (d->in[i] - at + step - 1) / step;
    if (*end > d->kernel[i])
        *end = d->kernel[i];
    if (*begin > *end)
        *begin = *end;
}

/** What an average is divided by along one dimension: taps inside, or inside the padding.
 */
static inline ptrdiff_t hst__pool_divisor(const hst__pool_desc *d, int i, ptrdiff_t o,
                                          ptrdiff_t inside) {
    if (!d->count_include_pad)
        return inside;
    ptrdiff_t at = o * d->stride[i] - d->pad_begin[i];
    ptrdiff_t room = d->in[i] + d->pad_end[i] - at;
    ptrdiff_t n = (room + d->dilation[i] - 1) / d->dilation[i];
    return n < d->kernel[i] ? n : d->kernel[i];
}

/** What a sum over `inside[i]` taps along dimension i is multiplied by; NaN or infinity
 * where a window holds nothing, as 0 / 0 would have it. */
static inline float hst__pool_scale(const hst__pool_desc *d, const ptrdiff_t *o,
                                    const ptrdiff_t *inside) {
    ptrdiff_t count = 1;
    for (int i = 0; i < d->dims; i++)
        count *= hst__pool_divisor(d, i, o[i], inside[i]);
    return 1.0f / (float)count;
}

#endif
