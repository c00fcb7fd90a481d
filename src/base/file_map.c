#include "base/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { READ_BELOW = 256 * 1024 };

static hst_status read_all(int fd, const char *path, size_t size, hst__file_map *out,
                           hst_error *err) {
    uint8_t *data = hst__alloc_raw(size);
    size_t at = 0;
    if (!data)
        return hst__fail_nomem(err, size);
    while (at < size) {
        ssize_t n = read(fd, data + at, size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            hst__free(data);
            return hst__fail(err, HST_E_IO, "'%.500s': %s", path,
                             n < 0 ? strerror(errno)
                                   : "it became shorter while being read");
        }
        at += (size_t)n;
    }
    *out = (hst__file_map){.data = data, .size = size};
    return HST_OK;
}

hst_status hst__file_map_open(const char *path, hst__file_map *out, hst_error *err) {
    struct stat info;
    hst_status st = HST_OK;
    *out = (hst__file_map){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
    if (fstat(fd, &info) != 0) {
        st = hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        st = hst__fail(err, HST_E_IO, "'%.500s' is not a regular file", path);
    } else if (info.st_size < READ_BELOW) {
        st = read_all(fd, path, (size_t)info.st_size, out, err);
    } else {
        void *p = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED)
            st = hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
        else
            *out =
                (hst__file_map){.data = p, .size = (size_t)info.st_size, .mapped = true};
    }
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
