#include "base/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/** Below, a copy costs no more than a map, and a file that shrinks does no harm. */
enum { READ_BELOW = 256 * 1024 };

static hst_status fail_io(const char *path, hst_error *err) {
    return hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
}

/** *fd is the caller's; -1 on failure. Zeroes *out but for the identity. */
static hst_status open_regular(const char *path, int *fd, hst__file_map *out,
                               hst_error *err) {
    struct stat info;
    hst_status st;
    *out = (hst__file_map){0};
    /* A pipe without a writer would block here; it is refused below. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return fail_io(path, err);
    if (fstat(*fd, &info) != 0) {
        st = fail_io(path, err);
    } else if (!S_ISREG(info.st_mode)) {
        st = hst__fail(err, HST_E_IO, "'%.500s' is %s", path,
                       S_ISDIR(info.st_mode) ? "a directory" : "not a regular file");
    } else {
        out->identity = (hst__file_identity){.device = info.st_dev,
                                             .number = info.st_ino,
                                             .bytes = (uint64_t)info.st_size,
                                             .modified_s = info.st_mtim.tv_sec,
                                             .modified_ns = info.st_mtim.tv_nsec,
                                             .changed_s = info.st_ctim.tv_sec,
                                             .changed_ns = info.st_ctim.tv_nsec};
        return HST_OK;
    }
    close(*fd);
    *fd = -1;
    return st;
}

static hst_status read_all(int fd, const char *path, size_t size, hst__file_map *out,
                           hst_error *err) {
    if (size == 0)
        return HST_OK;
    uint8_t *data = hst__alloc_raw(size);
    if (!data)
        return hst__fail_nomem(err, size);
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, data + at, size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            hst_status st =
                n < 0 ? fail_io(path, err)
                      : hst__fail(err, HST_E_IO,
                                  "'%.500s' became shorter while being read", path);
            hst__free(data);
            return st;
        }
        at += (size_t)n;
    }
    out->data = data;
    out->size = size;
    return HST_OK;
}

hst_status hst__file_map_open(const char *path, hst__file_map *out, hst_error *err) {
    int fd;
    hst_status st = open_regular(path, &fd, out, err);
    size_t size = (size_t)out->identity.bytes;
    if (st)
        return st;
    if (size < READ_BELOW) {
        st = read_all(fd, path, size, out, err);
    } else {
        void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED)
            st = fail_io(path, err);
        else {
            out->data = p;
            out->size = size;
            out->mapped = true;
        }
    }
    close(fd);
    return st;
}

hst_status hst__file_read(const char *path, size_t limit, hst__file_map *out,
                          hst_error *err) {
    int fd;
    hst_status st = open_regular(path, &fd, out, err);
    size_t size = (size_t)out->identity.bytes;
    if (st)
        return st;
    st = size > limit
             ? hst__fail(err, HST_E_LIMIT, "'%.500s' has %zu bytes; up to %zu are read",
                         path, size, limit)
             : read_all(fd, path, size, out, err);
    close(fd);
    return st;
}

void hst__file_map_close(hst__file_map *map) {
    if (map->mapped)
        munmap((void *)map->data, map->size);
    else
        hst__free((void *)map->data);
    *map = (hst__file_map){0};
}

void hst__file_map_drop(const void *p, size_t size) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)p + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)p + size) / page * page;
    if (from < to)
        madvise((void *)from, to - from, MADV_DONTNEED);
}
