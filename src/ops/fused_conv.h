/* com.microsoft FusedConv: Conv, plus input 3, then an activation named by an attribute. */
#ifndef HST_OPS_FUSED_CONV_H
#define HST_OPS_FUSED_CONV_H

#include "kernels/epilogue.h"
#include "ops/op.h"

/** The activation that the attributes name; false where it is not known. */
bool hst__fused_conv_act(const hst__node *n, hst__act *act);

#endif
