#include "tensor/tensor.h"

#include <stdio.h>
#include <string.h>

size_t hst_dtype_size(hst_dtype dtype) {
    switch (dtype) {
#define SIZE_CASE(name, bytes, text, onnx)                                               \
    case name:                                                                           \
        return bytes;
        HST_DTYPE_LIST(SIZE_CASE)
#undef SIZE_CASE
    }
    return 0;
}

const char *hst_dtype_name(hst_dtype dtype) {
    switch (dtype) {
#define NAME_CASE(name, bytes, text, onnx)                                               \
    case name:                                                                           \
        return text;
        HST_DTYPE_LIST(NAME_CASE)
#undef NAME_CASE
    }
    return "?";
}

bool hst__desc_count(const hst__desc *d, size_t *count) {
    size_t n = 1, extent = 1;
    if (d->rank < 0 || d->rank > HST_MAX_RANK)
        return false;
    for (int i = 0; i < d->rank; i++) {
        size_t size = (size_t)d->dims[i];
        if (d->dims[i] < 0 || !hst__mul(extent, size ? size : 1, &extent) ||
            extent > HST__EXTENT_MAX)
            return false;
        n *= size;
    }
    *count = n;
    return true;
}

bool hst__desc_bytes(const hst__desc *d, size_t *bytes) {
    if (!hst__desc_count(d, bytes))
        return false;
    *bytes *= hst_dtype_size(d->dtype);
    return true;
}

size_t hst__desc_span(const hst__desc *d, int from, int to) {
    size_t n = 1;
    for (int i = from; i < to; i++)
        n *= (size_t)d->dims[i];
    return n;
}

bool hst__desc_equal_shape(const hst__desc *a, const hst__desc *b) {
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) == 0;
}

const char *hst__desc_format(const hst__desc *d, char *buffer, size_t size) {
    int at = snprintf(buffer, size, "%s[", hst_dtype_name(d->dtype));
    for (int i = 0; i < d->rank && at > 0 && (size_t)at < size; i++)
        at += d->dims[i] < 0
                  ? snprintf(buffer + at, size - (size_t)at, "%s?", i ? "," : "")
                  : snprintf(buffer + at, size - (size_t)at, "%s%lld", i ? "," : "",
                             (long long)d->dims[i]);
    if (at > 0 && (size_t)at < size)
        snprintf(buffer + at, size - (size_t)at, "]");
    return buffer;
}

void hst__desc_strides(const hst__desc *d, int64_t strides[HST_MAX_RANK]) {
    int64_t n = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        strides[i] = n;
        n *= d->dims[i];
    }
}

static hst_status new_tensor(const hst__desc *info, hst_tensor **out, hst_error *err) {
    size_t bytes;
    *out = NULL;
    if (info->rank < 0 || info->rank > HST_MAX_RANK)
        return hst__fail(err, HST_E_ARG, "tensor rank %d is not in 0..%d", info->rank,
                         HST_MAX_RANK);
    for (int i = 0; i < info->rank; i++)
        if (info->dims[i] < 0)
            return hst__fail(err, HST_E_ARG, "tensor dimension %d is %lld", i,
                             (long long)info->dims[i]);
    if (!hst_dtype_size(info->dtype))
        return hst__fail(err, HST_E_ARG, "tensor without an element type");
    if (!hst__desc_bytes(info, &bytes))
        return hst__fail(err, HST_E_LIMIT, "tensor size overflows");
    hst_tensor *t = hst__alloc(sizeof *t);
    if (!t)
        return hst__fail_nomem(err, sizeof *t);
    t->desc = *info;
    t->bytes = bytes;
    *out = t;
    return HST_OK;
}

hst_status hst_tensor_create(const hst_tensor_info *info, hst_tensor **out,
                             hst_error *err) {
    hst_status st = new_tensor(info, out, err);
    if (st)
        return st;
    (*out)->data = hst__alloc((*out)->bytes);
    (*out)->owned = true;
    if ((*out)->data)
        return HST_OK;
    char text[HST__DESC_TEXT];
    st = hst__fail_nomem(err, (*out)->bytes);
    hst__fail_in(err, st, "a tensor %s", hst__desc_format(info, text, sizeof text));
    hst_tensor_destroy(*out);
    *out = NULL;
    return st;
}

hst_status hst_tensor_wrap(const hst_tensor_info *info, void *data, size_t bytes,
                           hst_tensor **out, hst_error *err) {
    hst_status st = new_tensor(info, out, err);
    if (st)
        return st;
    if ((*out)->bytes > bytes) {
        st = hst__fail(err, HST_E_ARG, "tensor needs %zu bytes, the buffer has %zu",
                       (*out)->bytes, bytes);
        hst_tensor_destroy(*out);
        *out = NULL;
        return st;
    }
    (*out)->data = data;
    return HST_OK;
}

void hst_tensor_destroy(hst_tensor *tensor) {
    if (!tensor)
        return;
    if (tensor->owned)
        hst__free(tensor->data);
    hst__free(tensor);
}

const hst_tensor_info *hst_tensor_get_info(const hst_tensor *tensor) {
    return &tensor->desc;
}
void *hst_tensor_data(hst_tensor *tensor) { return tensor->data; }
const void *hst_tensor_const_data(const hst_tensor *tensor) { return tensor->data; }
size_t hst_tensor_bytes(const hst_tensor *tensor) { return tensor->bytes; }
size_t hst_tensor_count(const hst_tensor *tensor) {
    return hst__desc_size(&tensor->desc);
}
