/* The reader of manifests on any bytes. */
#include "fuzz/fuzz.h"
#include "pipeline/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hst__manifest m = {0};
    hst_error err;
    if (!hst__manifest_preset("raw", &m, &err))
        /* what a label file holds is no part of this: the folder is not there */
        (void)hst__manifest_parse(&m, (const char *)data, size, "/nonexistent", &err);
    hst__manifest_fini(&m);
    return 0;
}
