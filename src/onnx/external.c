#include "onnx/external.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FILES_MAX = 4096, NAME_MAX_BYTES = 1024 };

hst_status hst__external_init(hst__external *e, const char *model_path, hst_error *err) {
    char resolved[PATH_MAX];
    *e = (hst__external){0};
    if (!realpath(model_path, resolved))
        return hst__fail(err, HST_E_IO, "'%.500s': %s", model_path, strerror(errno));
    *(strrchr(resolved, '/') + 1) = 0;
    e->folder = hst__strdup(resolved);
    return e->folder ? HST_OK : hst__fail_nomem(err, strlen(resolved));
}

void hst__external_fini(hst__external *e) {
    for (int i = 0; i < e->count; i++) {
        hst__free(e->files[i].path);
        hst__file_map_close(&e->files[i].map);
    }
    hst__free(e->files);
    hst__free(e->folder);
    *e = (hst__external){0};
}

/** Resolves links, so that none leads out of the model's folder. */
static hst_status resolve(const hst__external *e, hst__span path, char *out,
                          hst_error *err) {
    char joined[PATH_MAX];
    int size = (int)path.size;
    if (path.size == 0 || path.size > NAME_MAX_BYTES || memchr(path.data, 0, path.size))
        return hst__fail(err, HST_E_FORMAT,
                         "a location of external data is not a file name");
    int n = snprintf(joined, sizeof joined, "%s%.*s", e->folder, size,
                     (const char *)path.data);
    if (n < 0 || (size_t)n >= sizeof joined)
        return hst__fail(err, HST_E_FORMAT, "a location of external data is too long");
    if (path.data[0] == '/' || !realpath(joined, out)) {
        if (path.data[0] != '/')
            return hst__fail(err, HST_E_IO, "external data '%.*s': %s", size,
                             (const char *)path.data, strerror(errno));
        out[0] = 0;
    }
    if (strncmp(out, e->folder, strlen(e->folder)) != 0)
        return hst__fail(err, HST_E_FORMAT,
                         "external data '%.*s' lies outside the folder of the model",
                         size, (const char *)path.data);
    return HST_OK;
}

static hst_status open_file(hst__external *e, const char *path, const hst__file_map **map,
                            hst_error *err) {
    for (int i = 0; i < e->count; i++)
        if (strcmp(e->files[i].path, path) == 0) {
            *map = &e->files[i].map;
            return HST_OK;
        }
    if (e->count >= FILES_MAX)
        return hst__fail(err, HST_E_LIMIT, "external data lies in more than %d files",
                         FILES_MAX);
    size_t old = (size_t)e->count * sizeof *e->files;
    void *grown = hst__realloc(e->files, old, old + sizeof *e->files);
    if (!grown)
        return hst__fail_nomem(err, old + sizeof *e->files);
    e->files = grown;
    hst__external_file *f = &e->files[e->count];
    f->path = hst__strdup(path);
    if (!f->path)
        return hst__fail_nomem(err, strlen(path));
    hst_status st = hst__file_map_open(path, &f->map, err);
    if (st) {
        hst__free(f->path);
        return st;
    }
    e->count++;
    *map = &f->map;
    return HST_OK;
}

/** Decimal digits only; false on anything else and on overflow. */
static bool parse(hst__span text, size_t *out) {
    size_t value = 0;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9' || !hst__mul(value, 10, &value) ||
            !hst__add(value, (size_t)(text.data[i] - '0'), &value))
            return false;
    *out = value;
    return text.size > 0;
}

hst_status hst__external_find(hst__external *e, const hst__external_location *location,
                              hst__span *out, hst_error *err) {
    char path[PATH_MAX];
    const hst__file_map *map;
    hst_status st = resolve(e, location->path, path, err);
    if (!st)
        st = open_file(e, path, &map, err);
    if (st)
        return st;
    size_t offset = 0, length;
    bool ok = !location->offset.data || parse(location->offset, &offset);
    ok = ok && offset <= map->size;
    length = ok ? map->size - offset : 0;
    ok = ok && (!location->length.data || parse(location->length, &length));
    if (!ok || length > map->size - offset)
        return hst__fail(
            err, HST_E_FORMAT,
            "external data: offset or length do not fit '%.500s' (%zu bytes)", path,
            map->size);
    *out = (hst__span){map->data + offset, length};
    return HST_OK;
}

bool hst__external_mapped(const hst__external *e, hst__span bytes) {
    for (int i = 0; i < e->count; i++)
        if (bytes.data >= e->files[i].map.data &&
            bytes.data <= e->files[i].map.data + e->files[i].map.size)
            return e->files[i].map.mapped;
    return false;
}
