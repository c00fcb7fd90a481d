#include "onnx/external.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FILES_MAX = 4096, LOCATION_MAX = 1024 };

/** A copy of the path up to its last '/', which must be there. */
static char *folder_of(const char *path) {
    size_t n = (size_t)(strrchr(path, '/') - path) + 1;
    char *copy = hst__alloc(n + 1);
    return copy ? memcpy(copy, path, n) : NULL;
}

static hst_status fail_io(const char *path, hst_error *err) {
    return hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
}

hst_status hst__external_init(hst__external *e, const char *model_path, hst_error *err) {
    *e = (hst__external){.model = hst__strdup(model_path)};
    return e->model ? HST_OK : hst__fail_nomem(err, strlen(model_path));
}

static hst_status find_folders(hst__external *e, hst_error *err) {
    char real[PATH_MAX + 1];
    if (e->folder)
        return HST_OK;
    char *folder = strchr(e->model, '/') ? folder_of(e->model) : hst__strdup("./");
    if (!folder)
        return hst__fail_nomem(err, strlen(e->model));
    hst_status st = HST_OK;
    if (!realpath(folder, real))
        st = fail_io(folder, err);
    else if (strcmp(real, "/") != 0)
        strcat(real, "/");
    if (!st && !(e->real_folders[0] = hst__strdup(real)))
        st = hst__fail_nomem(err, strlen(real));
    /* Caches of downloads keep model and weights as links into a folder of blobs. */
    if (!st && !realpath(e->model, real))
        st = fail_io(e->model, err);
    if (!st && !(e->real_folders[1] = folder_of(real)))
        st = hst__fail_nomem(err, strlen(real));
    e->folder = folder;
    return st;
}

void hst__external_fini(hst__external *e) {
    for (int i = 0; i < e->count; i++)
        hst__file_map_close(&e->files[i].map);
    hst__free(e->files);
    hst__free(e->model);
    hst__free(e->folder);
    hst__free(e->real_folders[0]);
    hst__free(e->real_folders[1]);
    *e = (hst__external){0};
}

/** A relative path to a file, none of whose parts is "..". */
static bool well_formed(hst__span path) {
    hst__span part = {0};
    if (path.size == 0 || path.size > LOCATION_MAX || path.data[0] == '/' ||
        memchr(path.data, 0, path.size))
        return false;
    for (size_t at = 0; at <= path.size; at += part.size + 1) {
        size_t left = path.size - at;
        const uint8_t *slash = left ? memchr(path.data + at, '/', left) : NULL;
        part =
            (hst__span){path.data + at, slash ? (size_t)(slash - path.data) - at : left};
        if (hst__span_is(part, ".."))
            return false;
    }
    return part.size > 0 && !hst__span_is(part, ".");
}

/** Resolves links, so that none leads out of the allowed folders. */
static hst_status resolve(const hst__external *e, hst__span path, char out[PATH_MAX],
                          hst_error *err) {
    char joined[PATH_MAX];
    if (!well_formed(path))
        return hst__fail(err, HST_E_FORMAT,
                         "external data '%.*s': the location must be a path below the "
                         "folder of the model",
                         HST__SPAN_TEXT(path));
    int n = snprintf(joined, sizeof joined, "%s%.*s", e->folder, (int)path.size,
                     (const char *)path.data);
    if (n < 0 || (size_t)n >= sizeof joined)
        return hst__fail(err, HST_E_FORMAT, "external data '%.*s': the path is too long",
                         HST__SPAN_TEXT(path));
    if (!realpath(joined, out))
        return hst__fail(err, HST_E_IO, "external data '%.500s': %s", joined,
                         strerror(errno));
    for (int i = 0; i < 2; i++)
        if (strncmp(out, e->real_folders[i], strlen(e->real_folders[i])) == 0)
            return HST_OK;
    return hst__fail(err, HST_E_FORMAT,
                     "external data '%.*s' is a link out of the folder of the model",
                     HST__SPAN_TEXT(path));
}

static hst_status reserve(hst__external *e, hst_error *err) {
    if (e->count >= FILES_MAX)
        return hst__fail(err, HST_E_LIMIT, "external data lies in more than %d files",
                         FILES_MAX);
    if (e->count < e->cap)
        return HST_OK;
    int cap = e->cap ? 2 * e->cap : 4;
    void *grown = hst__realloc(e->files, (size_t)e->cap * sizeof *e->files,
                               (size_t)cap * sizeof *e->files);
    if (!grown)
        return hst__fail_nomem(err, (size_t)cap * sizeof *e->files);
    e->files = grown;
    e->cap = cap;
    return HST_OK;
}

static hst_status open_file(hst__external *e, hst__span location,
                            const hst__file_map **map, hst_error *err) {
    char path[PATH_MAX];
    for (int i = e->count - 1; i >= 0; i--) /* mostly the one before */
        if (hst__span_equal(e->files[i].location, location)) {
            *map = &e->files[i].map;
            return HST_OK;
        }
    hst_status st = reserve(e, err);
    if (!st)
        st = find_folders(e, err);
    if (!st)
        st = resolve(e, location, path, err);
    if (!st)
        st = hst__file_map_open(path, &e->files[e->count].map, err);
    if (st)
        return st;
    e->files[e->count].location = location;
    *map = &e->files[e->count++].map;
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

hst_status hst__external_find(void *user, const hst__tensor_location *location,
                              size_t bytes, hst__span *out, bool *mapped,
                              hst_error *err) {
    const hst__file_map *map;
    size_t offset = 0, length = bytes;
    if ((location->offset.data && !parse(location->offset, &offset)) ||
        (location->length.data && !parse(location->length, &length)))
        return hst__fail(err, HST_E_FORMAT,
                         "external data: offset '%.*s' or length '%.*s' is no number",
                         HST__SPAN_TEXT(location->offset),
                         HST__SPAN_TEXT(location->length));
    hst_status st = open_file(user, location->path, &map, err);
    if (st)
        return st;
    if (offset > map->size || length > map->size - offset)
        return hst__fail(err, HST_E_FORMAT,
                         "external data '%.*s' ends at byte %zu; %zu bytes at %zu do not "
                         "fit",
                         HST__SPAN_TEXT(location->path), map->size, length, offset);
    *out = (hst__span){map->data ? map->data + offset : NULL, length};
    *mapped = map->mapped;
    return HST_OK;
}
