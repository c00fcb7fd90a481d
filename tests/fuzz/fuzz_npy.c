/* The readers of tensor files on any bytes. */
#include "fuzz/fuzz.h"
#include "tensor/npy.h"
#include "tensor/tensor_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hst__tensor_source source = {.borrow = false};
    hst_tensor *t;
    hst_error err;
    if (!hst__npy_read((hst__span){data, size}, &t, &err))
        hst_tensor_destroy(t);
    if (!hst__tensor_proto_read((hst__span){data, size}, &source, NULL, &t, &err))
        hst_tensor_destroy(t);
    return 0;
}
