/* Files as memory. */
#ifndef HST_BASE_FILE_MAP_H
#define HST_BASE_FILE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/** What tells a file that was changed or replaced from what it was. */
typedef struct hst__file_identity {
    uint64_t device, number, bytes;
    int64_t modified_s, modified_ns, changed_s, changed_ns;
} hst__file_identity;

typedef struct hst__file_map {
    const uint8_t *data; /**< read-only; NULL when size is 0 */
    size_t size;
    bool mapped;                 /**< else a heap copy */
    hst__file_identity identity; /**< when it was opened */
} hst__file_map;

/** Maps a regular file read-only; small ones are read into the heap. A mapped file must
 * not be cut short while it is in use: reading beyond its new end is a bus error
 * (SIGBUS). Errors: IO, NOMEM. */
hst_status hst__file_map_open(const char *path, hst__file_map *out, hst_error *err);
/** Reads a regular file of at most `limit` bytes into the heap; it may be changed
 * afterwards. Errors: IO, LIMIT, NOMEM. */
hst_status hst__file_read(const char *path, size_t limit, hst__file_map *out,
                          hst_error *err);
/** For both; a zeroed one is fine. */
void hst__file_map_close(hst__file_map *map);
/** Lets the whole pages inside [p, p+size) leave memory; they are read again when needed.
 * For addresses inside a map only. */
void hst__file_map_drop(const void *p, size_t size);

#endif
