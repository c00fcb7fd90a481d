#include "base/cpu.h"
#include "kernels/pointwise.h"

const hst__pointwise_f32 *hst__pointwise_pick(hst_cpu_level level) {
#if defined(__x86_64__)
    level = hst__cpu_resolve(level);
    if (level >= HST_CPU_AVX512)
        return &hst__pointwise_f32__avx512;
    if (level >= HST_CPU_AVX2)
        return &hst__pointwise_f32__avx2;
#else
    (void)level;
#endif
    return NULL;
}
