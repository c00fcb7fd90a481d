/* Matrix transposition of 4-byte elements. */
#ifndef HST_KERNELS_TRANSPOSE_H
#define HST_KERNELS_TRANSPOSE_H

#include <stddef.h>

#include "hasten/cpu.h"

/** to[r * to_stride + 4 * c] = from[4 * r + c * from_stride] for r < rows, c < columns;
 * strides in bytes, any alignment; the ranges must not overlap. */
typedef void hst__transpose_u32(char *to, const char *from, size_t rows, size_t columns,
                                ptrdiff_t to_stride, ptrdiff_t from_stride);

/** NULL at the reference level, whose definition is the plain loop of the caller. */
hst__transpose_u32 *hst__transpose_pick(hst_cpu_level level);
hst__transpose_u32 hst__transpose_u32__avx2;

#endif
