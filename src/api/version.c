#include "hasten/hasten.h"

#define TEXT(x) #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *hst_version(void) {
    return DOTTED(HST_VERSION_MAJOR, HST_VERSION_MINOR, HST_VERSION_PATCH);
}
