#include "base/cpu.h"
#include "kernels/winograd.h"

const hst__winograd_f32 *hst__winograd_pick(size_t m, hst_cpu_level level) {
    size_t i = m == 4;
#if defined(__x86_64__)
    level = hst__cpu_resolve(level);
    if (level >= HST_CPU_AVX512)
        return &hst__winograd_f32__avx512[i];
    if (level >= HST_CPU_AVX2)
        return &hst__winograd_f32__avx2[i];
#else
    (void)level;
#endif
    return &hst__winograd_f32__ref[i];
}
