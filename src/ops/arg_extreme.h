/* ArgMax and ArgMin. */
#ifndef HST_OPS_ARG_EXTREME_H
#define HST_OPS_ARG_EXTREME_H

#include "ops/op.h"

hst_status hst__arg_infer(hst__op_ctx *c);
/** Index of the largest or smallest along the attribute axis; of equals the first, or the
 * last with select_last_index. NaN counts as the extreme. */
hst_status hst__arg_prepare(hst__op_ctx *c, hst__step *s, bool max);

#endif
