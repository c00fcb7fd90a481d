/* Loops that do nothing but multiply-add, to find what a core can do at most. */
#ifndef HST_KERNELS_PEAK_H
#define HST_KERNELS_PEAK_H

#include <stddef.h>

#include "hasten/cpu.h"

/** Runs `rounds` rounds and returns how many operations (a multiply-add is two) that was.
 * The result of the arithmetic goes to *sink, so that none of it can be left out. */
typedef double hst__peak_loop(size_t rounds, float *sink);

typedef struct hst__peak {
    hst__peak_loop *f32;  /**< f32 multiply-adds */
    hst__peak_loop *int8; /**< u8 x s8 products summed into s32 */
} hst__peak;

/** The loops of a level; never NULL. */
const hst__peak *hst__peak_pick(hst_cpu_level level);

hst__peak_loop hst__peak_f32__ref, hst__peak_int8__ref;
hst__peak_loop hst__peak_f32__avx2, hst__peak_int8__avx2;
hst__peak_loop hst__peak_f32__avx512, hst__peak_int8__avx512vnni;

#endif
