#include "kernels/resize.h"

#include "base/cpu.h"

static const hst__resize_kernels ref = {
    .fixed_h = hst__resize_fixed_h__ref,
    .fixed_v = hst__resize_fixed_v__ref,
    .linear_h = hst__resize_linear_h__ref,
    .linear_v = hst__resize_linear_v__ref,
    .cubic_h = hst__resize_cubic_h__ref,
    .cubic_v = hst__resize_cubic_v__ref,
    .float_h_u8 = hst__resize_float_h_u8__ref,
    .float_h_u16 = hst__resize_float_h_u16__ref,
    .float_v_u8 = hst__resize_float_v_u8__ref,
    .float_v_u16 = hst__resize_float_v_u16__ref,
    .area_sum = hst__resize_area_sum__ref,
    .area_2x2 = hst__resize_area_2x2__ref,
};

const hst__resize_kernels *hst__resize_get(hst_cpu_level level) {
#if defined(__x86_64__)
    level = hst__cpu_resolve(level);
    if (level >= HST_CPU_AVX512VNNI)
        return &hst__resize_u8__avx512vnni;
    if (level >= HST_CPU_AVX512)
        return &hst__resize_u8__avx512;
    if (level >= HST_CPU_AVX2)
        return &hst__resize_u8__avx2;
#else
    (void)level;
#endif
    return &ref;
}
