/* Normalisation of groups of channels over all positions: InstanceNormalization (a group a
 * channel) and GroupNormalization. */
#ifndef HST_OPS_GROUP_NORM_H
#define HST_OPS_GROUP_NORM_H

#include "ops/op.h"

/** Inputs 1 and 2 are scale and bias, one a channel, or one a group. */
hst_status hst__group_norm_prepare(hst__op_ctx *c, hst__step *s, int64_t groups, float eps);

#endif
