/* Activations on rows of f32. */
#ifndef HST_KERNELS_VMATH_H
#define HST_KERNELS_VMATH_H

#include "hasten/cpu.h"
#include "kernels/epilogue.h"

/** act(x) in double: the definition. NaN stays NaN; infinities give the limits. */
double hst__act_value(double x, const hst__act *act);

/** The row function of an activation at a level (AUTO: of this machine); never NULL. Fast
 * forms are within 4 ULP of the definition or 2e-7, whichever is larger. */
hst__act_row *hst__act_select(const hst__act *act, hst_cpu_level level);

hst__act_row hst__act_f32__ref;
/** Rows by kind; entries of a table of HST__ACT_COUNT. */
extern hst__act_row *const hst__act_rows__avx2[HST__ACT_COUNT];
extern hst__act_row *const hst__act_rows__avx512[HST__ACT_COUNT];

#endif
