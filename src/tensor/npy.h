/* NumPy's .npy format: numpy.lib.format, versions 1.0 to 3.0. */
#ifndef HST_TENSOR_NPY_H
#define HST_TENSOR_NPY_H

#include "base/wire.h"
#include "tensor/tensor.h"

/** True for what begins as a .npy file does. */
bool hst__npy_is(hst__span file);
/** *out is the caller's. Errors: FORMAT, UNSUPPORTED (element type, byte order, rank),
 * LIMIT (size overflow), NOMEM. */
hst_status hst__npy_read(hst__span file, hst_tensor **out, hst_error *err);

#endif
