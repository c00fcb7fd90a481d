#include "base/cpu.h"
#include "kernels/transpose.h"

hst__transpose_u32 *hst__transpose_pick(hst_cpu_level level) {
#if defined(__x86_64__)
    if (hst__cpu_resolve(level) >= HST_CPU_AVX2)
        return hst__transpose_u32__avx2;
#else
    (void)level;
#endif
    return NULL;
}
