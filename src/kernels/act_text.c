#include "kernels/epilogue.h"

const char *hst__act_text(hst__act_kind kind) {
    static const char *const texts[] = {
#define TEXT(name, text, formula) text,
        HST__ACT_LIST(TEXT)
#undef TEXT
    };
    return kind > HST__ACT_NONE && kind < HST__ACT_COUNT ? texts[kind] : "";
}
