/* The functions behind the table of gemm.h, as gemm.def lists them. */
#ifndef HST_KERNELS_GEMM_KERNELS_H
#define HST_KERNELS_GEMM_KERNELS_H

#include "kernels/gemm.h"

#define GEMM_F32_KERNEL(level, mr, nr, tile, pack)                                       \
    hst__gemm_f32_tile_fn hst__##tile;                                                   \
    hst__gemm_f32_panel_fn hst__##pack;
#include "kernels/gemm.def"
#undef GEMM_F32_KERNEL

/** Panel row of source row k; see hst__gemm_f32_panel. */
static inline size_t hst__gemm_f32_panel_row(const hst__gemm_f32_panel *p, size_t k) {
    if (p->taps == 1)
        return k;
    size_t c = k / p->taps, t = k % p->taps, runs = p->k / p->taps;
    size_t begin = c / p->block * p->block;
    size_t length = runs - begin < p->block ? runs - begin : p->block;
    return begin * p->taps + t * length + (c - begin);
}

#endif
