/* Weights kept in files beside the model. */
#ifndef HST_ONNX_EXTERNAL_H
#define HST_ONNX_EXTERNAL_H

#include "base/file_map.h"
#include "onnx/wire.h"

typedef struct hst__external_location {
    hst__span path, offset, length; /**< texts; offset and length may be absent */
} hst__external_location;

typedef struct hst__external_file {
    char *path;
    hst__file_map map;
} hst__external_file;

typedef struct hst__external {
    char *folder; /**< of the model, resolved */
    hst__external_file *files;
    int count;
} hst__external;

/** model_path names the model; its folder is the only place where data may lie. */
hst_status hst__external_init(hst__external *e, const char *model_path, hst_error *err);
void hst__external_fini(hst__external *e);
/** The bytes of a location. The file is mapped once. Errors: FORMAT (path leads out of
 * the folder, range beyond the file), IO, LIMIT, NOMEM. */
hst_status hst__external_find(hst__external *e, const hst__external_location *location,
                              hst__span *out, hst_error *err);
/** True when these bytes lie in a file map. */
bool hst__external_mapped(const hst__external *e, hst__span bytes);

#endif
