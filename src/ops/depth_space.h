/* DepthToSpace and SpaceToDepth: boxes of blocks. */
#ifndef HST_OPS_DEPTH_SPACE_H
#define HST_OPS_DEPTH_SPACE_H

#include "ops/op.h"

hst_status hst__depth_space_infer(hst__op_ctx *c, bool to_space);
hst_status hst__depth_space_prepare(hst__op_ctx *c, hst__step *s, bool to_space);

#endif
