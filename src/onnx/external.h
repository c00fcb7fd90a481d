/* Weights kept in files beside the model. */
#ifndef HST_ONNX_EXTERNAL_H
#define HST_ONNX_EXTERNAL_H

#include "base/file_map.h"
#include "tensor/tensor_proto.h"

typedef struct hst__external_file {
    hst__span location; /**< as the model spells it; lies in the model */
    hst__file_map map;
} hst__external_file;

typedef struct hst__external {
    char *model;           /**< its path as it was named */
    char *folder;          /**< of that path, ends in '/'; NULL until data is asked for */
    char *real_folders[2]; /**< where data may lie: that folder, and the one that the
                                model itself is linked to; resolved, end in '/' */
    hst__external_file *files;
    int count, cap;
} hst__external;

/** model_path names the model. Errors: NOMEM. */
hst_status hst__external_init(hst__external *e, const char *model_path, hst_error *err);
void hst__external_fini(hst__external *e);
/** An hst__tensor_find; user is the hst__external. Each file is mapped once. Errors:
 * FORMAT (the path leads out of the folder, the range does not fit), IO, LIMIT, NOMEM. */
hst_status hst__external_find(void *user, const hst__tensor_location *location,
                              size_t bytes, hst__span *out, bool *mapped, hst_error *err);

#endif
