/* Inputs for models that nobody has looked at. */
#ifndef HST_TESTS_INPUT_H
#define HST_TESTS_INPUT_H

#include "hasten/model.h"

enum { FREE_DIM = 2 }; /* what a free dimension becomes */

/** A tensor of zeros for an input, of `rank` where the file gives none; NULL where it
 * would be larger than bytes_max or is refused. */
static inline hst_tensor *zero_input(const hst_model *model, size_t index, int rank,
                                     double bytes_max) {
    hst_value_info value;
    hst_tensor *t = NULL;
    hst_error err;
    if (hst_model_get_input(model, index, &value, &err))
        return NULL;
    hst_tensor_info info = value.tensor;
    double bytes = (double)hst_dtype_size(info.dtype);
    info.rank = info.rank < 0 ? rank : info.rank;
    for (int k = 0; k < info.rank; k++) {
        info.dims[k] = info.dims[k] < 0 ? FREE_DIM : info.dims[k];
        bytes *= (double)info.dims[k];
    }
    if (bytes <= bytes_max)
        (void)hst_tensor_create(&info, &t, &err);
    return t;
}

#endif
