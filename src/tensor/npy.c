#include "tensor/npy.h"

#include <string.h>

#include "tensor/npy_types.h"

enum { HEADER_MAX = 65536 }; /**< bytes; NumPy itself writes some hundred */

/** The header is a Python literal: {'descr': '<f4', 'fortran_order': False,
 * 'shape': (3, 4), }. */
typedef struct header {
    const char *at, *end;
    hst__span descr;
    bool seen_descr, seen_order, seen_shape, structured;
    bool fortran;
    size_t rank; /**< also where it is over HST_MAX_RANK */
    int64_t dims[HST_MAX_RANK];
} header;

bool hst__npy_is(hst__span file) {
    return file.size >= HST__NPY_MAGIC_BYTES &&
           memcmp(file.data, HST__NPY_MAGIC, HST__NPY_MAGIC_BYTES) == 0;
}

static void skip_space(header *h) {
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t'))
        h->at++;
}

static bool accept(header *h, char c) {
    skip_space(h);
    if (h->at >= h->end || *h->at != c)
        return false;
    h->at++;
    return true;
}

static bool accept_word(header *h, const char *word) {
    size_t n = strlen(word);
    skip_space(h);
    if ((size_t)(h->end - h->at) < n || memcmp(h->at, word, n) != 0)
        return false;
    h->at += n;
    return true;
}

static bool read_string(header *h, hst__span *out) {
    skip_space(h);
    if (h->at >= h->end || (*h->at != '\'' && *h->at != '"'))
        return false;
    const char *close = memchr(h->at + 1, *h->at, (size_t)(h->end - h->at) - 1);
    if (!close)
        return false;
    *out = (hst__span){(const uint8_t *)h->at + 1, (size_t)(close - h->at) - 1};
    h->at = close + 1;
    return true;
}

static bool read_size(header *h, int64_t *out) {
    int64_t n = 0;
    skip_space(h);
    const char *start = h->at;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, *h->at - '0', &n))
            return false;
    *out = n;
    bool ok = h->at > start;
    accept(h, 'L'); /* a long integer of Python 2 */
    return ok;
}

static bool read_shape(header *h) {
    if (!accept(h, '('))
        return false;
    while (!accept(h, ')')) {
        int64_t n;
        if (!read_size(h, &n))
            return false;
        if (h->rank < HST_MAX_RANK)
            h->dims[h->rank] = n;
        h->rank++;
        if (!accept(h, ',') && (h->at >= h->end || *h->at != ')'))
            return false;
    }
    return true;
}

static bool read_order(header *h) {
    h->fortran = accept_word(h, "True");
    return h->fortran || accept_word(h, "False");
}

static bool read_entry(header *h) {
    hst__span key;
    if (!read_string(h, &key) || !accept(h, ':'))
        return false;
    bool *seen = hst__span_is(key, "descr")           ? &h->seen_descr
                 : hst__span_is(key, "fortran_order") ? &h->seen_order
                 : hst__span_is(key, "shape")         ? &h->seen_shape
                                                      : NULL;
    if (!seen || *seen)
        return false;
    *seen = true;
    if (seen == &h->seen_shape)
        return read_shape(h);
    if (seen == &h->seen_order)
        return read_order(h);
    skip_space(h);
    h->structured = h->at < h->end && *h->at == '[';
    return !h->structured && read_string(h, &h->descr);
}

static bool read_dict(header *h) {
    if (!accept(h, '{'))
        return false;
    while (!accept(h, '}')) {
        if (!read_entry(h))
            return false;
        if (!accept(h, ',') && (h->at >= h->end || *h->at != '}'))
            return false;
    }
    skip_space(h);
    return h->at == h->end && h->seen_descr && h->seen_order && h->seen_shape;
}

/** Finds header and elements behind magic, version and header size. */
static hst_status split(hst__span file, header *h, hst__span *elements, hst_error *err) {
    const uint8_t *p = file.data;
    size_t start, size;
    if (!hst__npy_is(file))
        return hst__fail(err, HST_E_FORMAT, "this is not a .npy file");
    if (file.size < 12)
        return hst__fail(err, HST_E_FORMAT, ".npy: the header is cut off");
    if (p[6] < 1 || p[6] > 3 || p[7] != 0)
        return hst__fail(err, HST_E_UNSUPPORTED,
                         ".npy: format %d.%d is not supported; 1.0 to 3.0 are", p[6],
                         p[7]);
    start = p[6] == 1 ? 10 : 12;
    size = (size_t)p[8] | (size_t)p[9] << 8;
    if (p[6] > 1)
        size |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    if (size > HEADER_MAX)
        return hst__fail(err, HST_E_LIMIT,
                         ".npy: a header of %zu bytes; up to %d are read", size,
                         HEADER_MAX);
    if (size > file.size - start)
        return hst__fail(err, HST_E_FORMAT, ".npy: the header is cut off");
    h->at = (const char *)p + start;
    h->end = h->at + size;
    *elements = (hst__span){p + start + size, file.size - start - size};
    return HST_OK;
}

static hst_status find_type(const header *h, hst_dtype *out, hst_error *err) {
    char code[4] = {0};
    if (h->descr.size == 3) {
        memcpy(code, h->descr.data, 3);
        if (code[2] == '1' || code[0] == '=') /* order is no matter, or this machine's */
            code[0] = code[2] == '1' ? '|' : '<';
    }
    for (int i = 0; i < HST__NPY_TYPES; i++)
        if (strcmp(hst__npy_types[i].code, code) == 0) {
            *out = hst__npy_types[i].dtype;
            return HST_OK;
        }
    if (code[0] == '>')
        return hst__fail(err, HST_E_UNSUPPORTED,
                         ".npy: big-endian elements '%s' are not supported: save "
                         "a.astype(a.dtype.newbyteorder('<'))",
                         code);
    return hst__fail(err, HST_E_UNSUPPORTED,
                     ".npy: element type '%.*s' is not supported; f2 f4 f8, i1 i2 i4 i8, "
                     "u1 u2 u4 u8 and b1 are",
                     HST__SPAN_TEXT(h->descr));
}

/** Column-major elements into row-major order. */
static void transpose(const hst_tensor *t, const uint8_t *from) {
    const hst__desc *d = &t->desc;
    size_t size = hst_dtype_size(d->dtype), count = hst__desc_size(d);
    size_t step[HST_MAX_RANK], at[HST_MAX_RANK] = {0}, source = 0;
    char *to = t->data;
    for (int k = 0; k < d->rank; k++)
        step[k] = k == 0 ? size : step[k - 1] * (size_t)d->dims[k - 1];
    for (size_t i = 0; i < count; i++, to += size) {
        memcpy(to, from + source, size);
        for (int k = d->rank - 1; k >= 0; k--) {
            source += step[k];
            if (++at[k] < (size_t)d->dims[k])
                break;
            source -= step[k] * (size_t)d->dims[k];
            at[k] = 0;
        }
    }
}

static void normalise_truth(hst_tensor *t) {
    unsigned char *flags = t->data;
    for (size_t i = 0; t->desc.dtype == HST_DTYPE_BOOL && i < t->bytes; i++)
        flags[i] = flags[i] != 0;
}

hst_status hst__npy_read(hst__span file, hst_tensor **out, hst_error *err) {
    header h = {0};
    hst__span elements = {0};
    hst__desc d = {0};
    size_t bytes;
    *out = NULL;
    hst_status st = split(file, &h, &elements, err);
    if (st)
        return st;
    bool ok = read_dict(&h);
    if (h.structured)
        return hst__fail(err, HST_E_UNSUPPORTED,
                         ".npy: structured element types are not supported");
    if (!ok)
        return hst__fail(err, HST_E_FORMAT, ".npy: malformed header");
    st = find_type(&h, &d.dtype, err);
    if (st)
        return st;
    if (h.rank > HST_MAX_RANK)
        return hst__fail(err, HST_E_UNSUPPORTED,
                         ".npy: rank %zu is not supported; up to %d is", h.rank,
                         HST_MAX_RANK);
    d.rank = (int)h.rank;
    memcpy(d.dims, h.dims, sizeof d.dims);
    if (!hst__desc_bytes(&d, &bytes))
        return hst__fail(err, HST_E_LIMIT, ".npy: the shape is too large");
    if (elements.size != bytes)
        return hst__fail(err, HST_E_FORMAT,
                         ".npy: %zu bytes of elements, the shape needs %zu",
                         elements.size, bytes);
    st = hst_tensor_create(&d, out, err);
    if (st)
        return st;
    if (h.fortran && d.rank > 1)
        transpose(*out, elements.data);
    else if (bytes)
        memcpy((*out)->data, elements.data, bytes);
    normalise_truth(*out);
    return HST_OK;
}
