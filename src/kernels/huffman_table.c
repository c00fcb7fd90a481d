#include "base/cpu.h"
#include "kernels/huffman.h"

hst__huffman_read_fn *hst__huffman_pick(hst_cpu_level level) {
#if defined(__x86_64__)
    if (hst__cpu_resolve(level) >= HST_CPU_AVX2)
        return hst__huffman_read__avx2;
#else
    (void)level;
#endif
    return NULL;
}
