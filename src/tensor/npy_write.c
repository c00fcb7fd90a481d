/* Tensors into .npy files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tensor/npy_types.h"
#include "tensor/tensor.h"

/** Magic, version, and up to 9 dimensions of 20 digits, in 64-byte lines. */
enum { HEADER_BYTES = 384, LINE = 64, PREFIX = 10 };

static hst_status make_header(const hst_tensor *t, char out[HEADER_BYTES], size_t *size,
                              hst_error *err) {
    const hst__desc *d = &t->desc;
    const char *code = NULL;
    for (int i = 0; i < HST__NPY_TYPES; i++)
        if (hst__npy_types[i].dtype == d->dtype)
            code = hst__npy_types[i].code;
    if (!code)
        return hst__fail(err, HST_E_UNSUPPORTED, ".npy has no element type for %s",
                         hst_dtype_name(d->dtype));
    int at = snprintf(out, HEADER_BYTES,
                      "%s%c%c  {'descr': '%s', 'fortran_order': False, "
                      "'shape': (",
                      HST__NPY_MAGIC, 1, 0, code);
    /* the version ends in a NUL byte, behind which snprintf went on */
    for (int k = 0; k < d->rank; k++)
        at += snprintf(out + at, HEADER_BYTES - (size_t)at, "%s%lld%s", k ? ", " : "",
                       (long long)d->dims[k], d->rank == 1 ? "," : "");
    at += snprintf(out + at, HEADER_BYTES - (size_t)at, "), }");
    *size = hst__round_up((size_t)at + 1, LINE);
    memset(out + at, ' ', *size - (size_t)at);
    out[*size - 1] = '\n';
    out[8] = (char)((*size - PREFIX) & 255);
    out[9] = (char)((*size - PREFIX) >> 8);
    return HST_OK;
}

static bool write_all(int fd, const void *data, size_t size) {
    const char *p = data;
    while (size > 0) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

hst_status hst_tensor_save_npy(const hst_tensor *tensor, const char *path,
                               hst_error *err) {
    char header[HEADER_BYTES];
    size_t size = 0;
    struct stat info;
    hst_status st = make_header(tensor, header, &size, err);
    if (st)
        return st;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
    bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    bool ok = write_all(fd, header, size) && write_all(fd, tensor->data, tensor->bytes);
    int why = errno;
    if (close(fd) != 0 && ok) { /* a full disk may show only here */
        ok = false;
        why = errno;
    }
    if (ok)
        return HST_OK;
    if (regular) /* half a file would be taken for a whole one */
        unlink(path);
    return hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(why));
}
