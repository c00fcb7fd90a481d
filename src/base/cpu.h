/* CPU levels: bundles of instruction sets that kernels are written for. */
#ifndef HST_BASE_CPU_H
#define HST_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "hasten/cpu.h"

/** The highest level this machine can run, found once. */
hst_cpu_level hst__cpu_detect(void);
/** Size of the second-level cache; 1 MB where the system does not tell. */
size_t hst__cpu_l2_bytes(void);
/** True where AVX512_BF16 is there too. */
bool hst__cpu_has_bf16(void);
/** A level that exists here: AUTO becomes the highest, a higher wish is lowered to it. */
hst_cpu_level hst__cpu_resolve(hst_cpu_level wish);
/** Sets flush-to-zero and denormals-are-zero for the calling thread; returns the old word
 * for hst__cpu_restore_fp. */
unsigned hst__cpu_flush_subnormals(void);
void hst__cpu_restore_fp(unsigned saved);

#endif
