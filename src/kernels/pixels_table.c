#include "kernels/pixels.h"

static const hst__pixels_kernels ref = {
    .pattern = hst__pixels_pattern__ref,
    .planar3 = hst__pixels_planar3__ref,
    .split3 = hst__pixels_split3__ref,
};

const hst__pixels_kernels *hst__pixels_get(hst_cpu_level level) {
    (void)level;
    return &ref;
}
