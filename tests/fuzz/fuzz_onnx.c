/* The ONNX reader on any bytes. */
#include "fuzz/fuzz.h"
#include "onnx/onnx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hst__onnx_file *file;
    hst_error err;
    if (!hst__onnx_open_memory(data, size, &file, &err))
        hst__onnx_close(file);
    return 0;
}
