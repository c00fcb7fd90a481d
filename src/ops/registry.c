#include "ops/op.h"

#define HST__OP(symbol, domain, name) extern const hst__op hst__op_##symbol;
#include "graph/ops.def"
#undef HST__OP

static const hst__op *const ops[] = {
#define HST__OP(symbol, domain, name) &hst__op_##symbol,
#include "graph/ops.def"
#undef HST__OP
};

const hst__op *hst__op_get(hst__op_kind kind) {
    return kind < HST__OP_COUNT ? ops[kind] : NULL;
}
