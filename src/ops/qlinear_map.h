/* Quantised operators that go by way of the real value of each element, as com.microsoft
 * defines them: real = (q - zero) * scale, f(real), quantised again. */
#ifndef HST_OPS_QLINEAR_MAP_H
#define HST_OPS_QLINEAR_MAP_H

#include "ops/op.h"

/** Real-valued function of one or two numbers with a parameter. */
typedef float hst__qlinear_fn(float a, float b, float param);

/** Inputs x, x_scale, x_zero, y_scale, y_zero: a table of 256 entries, made when
 * planning. */
hst_status hst__qlinear_unary_infer(hst__op_ctx *c);
hst_status hst__qlinear_unary_prepare(hst__op_ctx *c, hst__step *s, hst__qlinear_fn *fn,
                                      float param);
/** Inputs a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero; a and b broadcast. */
hst_status hst__qlinear_binary_infer(hst__op_ctx *c);
hst_status hst__qlinear_binary_prepare(hst__op_ctx *c, hst__step *s, hst__qlinear_fn *fn);

#endif
