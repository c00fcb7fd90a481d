/* The functions behind the table of dwconv.h, as dwconv.def lists them. */
#ifndef HST_KERNELS_DWCONV_KERNELS_H
#define HST_KERNELS_DWCONV_KERNELS_H

#include "kernels/dwconv.h"

#define DWCONV_F32_KERNEL(level, function) hst__dwconv_f32_part_fn hst__##function;
#include "kernels/dwconv.def"
#undef DWCONV_F32_KERNEL

/** Taps begin..end-1 of a window meet the input. */
typedef struct hst__dwconv_span {
    size_t begin, end;
} hst__dwconv_span;

/** Of `taps` taps, `dilation` apart, the first at position `at`: those inside 0..size-1.
 */
static inline hst__dwconv_span hst__dwconv_taps_inside(ptrdiff_t at, size_t dilation,
                                                       size_t taps, size_t size) {
    ptrdiff_t step = (ptrdiff_t)dilation, length = (ptrdiff_t)size;
    size_t begin = at < 0 ? (size_t)((-at + step - 1) / step) : 0;
    size_t end = at < length ? (size_t)((length - at + step - 1) / step) : 0;
    begin = begin < taps ? begin : taps;
    end = end < taps ? end : taps;
    return (hst__dwconv_span){begin, end < begin ? begin : end};
}

#endif
