#include "kernels/pixels.h"

#include "base/cpu.h"

static const hst__pixels_kernels ref = {
    .pattern = hst__pixels_pattern__ref,
    .planar3 = hst__pixels_planar3__ref,
    .split3 = hst__pixels_split3__ref,
    .reverse3 = hst__pixels_reverse3__ref,
};

const hst__pixels_kernels *hst__pixels_get(hst_cpu_level level) {
#if defined(__x86_64__)
    level = hst__cpu_resolve(level);
    if (level >= HST_CPU_AVX512)
        return &hst__pixels_u8__avx512;
    if (level >= HST_CPU_AVX2)
        return &hst__pixels_u8__avx2;
#else
    (void)level;
#endif
    return &ref;
}
