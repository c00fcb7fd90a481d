#include "kernels/gemm_kernels.h"

#include "base/cpu.h"

static const hst__gemm_f32_kernel kernels[] = {
#define GEMM_F32_KERNEL(level, mr, nr, tile, pack)                                       \
    {#tile, level, mr, nr, hst__##tile, hst__##pack},
#include "kernels/gemm.def"
#undef GEMM_F32_KERNEL
};

enum { COUNT = sizeof kernels / sizeof *kernels };

#define GEMM_F32_KERNEL(level, mr, nr, tile, pack)                                       \
    _Static_assert((mr) <= HST__GEMM_MR_MAX && (nr) % 8 == 0, "tile size of " #tile);
#include "kernels/gemm.def"
#undef GEMM_F32_KERNEL

const hst__gemm_f32_kernel *hst__gemm_f32_pick(hst_cpu_level level) {
    level = hst__cpu_resolve(level);
    size_t i = COUNT - 1;
    while (i > 0 && kernels[i].level > level)
        i--;
    return &kernels[i];
}

const hst__gemm_f32_kernel *hst__gemm_f32_at(size_t i) {
    return i < COUNT ? &kernels[i] : NULL;
}
