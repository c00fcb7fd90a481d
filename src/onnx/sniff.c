/* Files that are taken for ONNX models, told by how they begin. */
#include <string.h>

#include "onnx/reader.h"

const char *hst__onnx_sniff(hst__span file) {
    static const struct {
        size_t at;
        const char *begin, *what;
    } kinds[] = {
        {0, "version https://git-lfs", "a Git LFS pointer: run git lfs pull"},
        {0, "PK\x03\x04", "a zip archive or a PyTorch file: unpack or export it first"},
        {0, "\x80\x02", "a Python pickle: export the model with torch.onnx.export"},
        {0, "\x1f\x8b", "a gzip archive: unpack it first"},
        {0, "\x28\xb5\x2f\xfd", "a zstd archive: unpack it first"},
        {0, "\x89HDF", "an HDF5 file: convert the Keras model with tf2onnx"},
        {4, "TFL3", "a TensorFlow Lite model: convert it with tf2onnx"},
        {4, "ORTM", "a model in ONNX Runtime's own format: use the .onnx it came from"},
        {0, "\x93NUMPY", "a .npy file"},
        {0, "\xff\xd8\xff", "a JPEG picture"},
        {0, "\x89PNG", "a PNG picture"},
        {0, "<", "a web page or XML"},
        {0, "{", "JSON: a manifest is given beside its model"},
    };
    if (file.size == 0)
        return "an empty file";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].begin);
        if (file.size >= kinds[i].at + n &&
            memcmp(file.data + kinds[i].at, kinds[i].begin, n) == 0)
            return kinds[i].what;
    }
    return NULL;
}
