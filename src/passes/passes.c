#include "passes/passes.h"

typedef struct pass_entry {
    hst__pass *run;
    const char *name;
} pass_entry;

static const pass_entry pass_table[] = {
#define HST__PASS(symbol, name, text) {hst__pass_##symbol, name},
#include "passes/passes.def"
#undef HST__PASS
    {NULL, NULL},
};

hst_status hst__passes_run(hst__graph *g, hst_error *err) {
    for (const pass_entry *p = pass_table; p->run; p++) {
        int changed = 0;
        hst_status st = p->run(g, &changed, err);
        if (st)
            return st;
        if (changed)
            hst__graph_prune(g);
    }
    return HST_OK;
}
