/* The table of a CPU level; included by its file alone. */
#ifndef HST_KERNELS_X86_RESIZE_U8_H
#define HST_KERNELS_X86_RESIZE_U8_H

#include "kernels/x86/resize_fixed.h"
#include "kernels/x86/resize_float.h"
#include "kernels/x86/resize_short.h"

#define RESIZE_KERNELS                                                                   \
    {                                                                                    \
        .fixed_h = fixed_h, .fixed_v = fixed_v, .linear_h = hst__resize_linear_h__avx2,  \
        .linear_v = linear_v, .cubic_h = hst__resize_cubic_h__avx2, .cubic_v = cubic_v,  \
        .float_h_u8 = float_h_u8, .float_h_u16 = hst__resize_float_h_u16__ref,           \
        .float_v_u8 = float_v_u8, .float_v_u16 = float_v_u16, .area_sum = area_sum,      \
        .area_2x2 = area_2x2,                                                            \
    }

#endif
