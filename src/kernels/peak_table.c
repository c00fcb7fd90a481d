#include "base/cpu.h"
#include "kernels/peak.h"

const hst__peak *hst__peak_pick(hst_cpu_level level) {
    static const hst__peak ref = {hst__peak_f32__ref, hst__peak_int8__ref};
#if defined(__x86_64__)
    static const hst__peak avx2 = {hst__peak_f32__avx2, hst__peak_int8__avx2};
    static const hst__peak avx512 = {hst__peak_f32__avx512, hst__peak_int8__avx2};
    static const hst__peak vnni = {hst__peak_f32__avx512, hst__peak_int8__avx512vnni};
    switch (hst__cpu_resolve(level)) {
    case HST_CPU_AVX512VNNI:
        return &vnni;
    case HST_CPU_AVX512:
        return &avx512;
    case HST_CPU_AVX2:
        return &avx2;
    default:
        break;
    }
#endif
    return &ref;
}
