#include "base/cpu.h"
#include "kernels/vmath.h"

hst__act_row *hst__act_select(const hst__act *act, hst_cpu_level level) {
#if defined(__x86_64__)
    level = hst__cpu_resolve(level);
    if (level >= HST_CPU_AVX512)
        return hst__act_rows__avx512[act->kind];
    if (level >= HST_CPU_AVX2)
        return hst__act_rows__avx2[act->kind];
#else
    (void)act;
    (void)level;
#endif
    return hst__act_f32__ref;
}
