/* Tensors from files, whose form is told from their first bytes. */
#include "base/file_map.h"
#include "tensor/npy.h"
#include "tensor/tensor_proto.h"

hst_status hst_tensor_load_file(const char *path, hst_tensor **out, hst_error *err) {
    hst__file_map map;
    const hst__tensor_source copied = {.borrow = false};
    *out = NULL;
    hst_status st = hst__file_map_open(path, &map, err);
    if (st)
        return st;
    hst__span file = {map.data, map.size};
    if (file.size == 0) {
        st = hst__fail(err, HST_E_FORMAT, "'%.500s' is empty", path);
    } else if (hst__npy_is(file)) {
        st = hst__npy_read(file, out, err);
        if (st)
            hst__fail_in(err, st, "'%.500s'", path);
    } else {
        st = hst__tensor_proto_read(file, &copied, NULL, out, err);
        if (st == HST_E_FORMAT)
            hst__fail_in(err, st, "'%.500s', read as a TensorProto (it is no .npy)",
                         path);
        else if (st)
            hst__fail_in(err, st, "'%.500s'", path);
    }
    hst__file_map_close(&map);
    return st;
}
