#include <string.h>

#include "graph/graph.h"

static const struct {
    const char *domain, *name;
} op_table[] = {
#define HST__OP(symbol, domain, name) {domain, name},
#include "graph/ops.def"
#undef HST__OP
};

hst__op_kind hst__op_find(const char *domain, const char *name) {
    if (strcmp(domain, "ai.onnx") == 0)
        domain = "";
    for (int i = 0; i < HST__OP_COUNT; i++)
        if (strcmp(op_table[i].name, name) == 0 &&
            strcmp(op_table[i].domain, domain) == 0)
            return (hst__op_kind)i;
    return HST__OP_UNKNOWN;
}

const char *hst__op_name(hst__op_kind kind) {
    return kind < HST__OP_COUNT ? op_table[kind].name : "?";
}

const char *hst__op_domain(hst__op_kind kind) {
    return kind < HST__OP_COUNT ? op_table[kind].domain : "?";
}
