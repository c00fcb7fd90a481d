#include "ops/op.h"

#include <stdatomic.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file_map.h"
#include "tensor/half.h"

hst_status hst__op_fail(hst__op_ctx *c, hst_status status, const char *format, ...) {
    char label[HST__NODE_LABEL], text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return hst__fail(c->err, status, "%s: %s",
                     hst__node_label(c->node, label, sizeof label), text);
}

hst_status hst__op_bad_type(hst__op_ctx *c, int input, const char *supported) {
    return hst__op_fail(c, HST_E_UNSUPPORTED,
                        "input %d has element type %s; supported are %s", input,
                        hst_dtype_name(c->in[input].dtype), supported);
}

hst_status hst__fault_status(const hst__fault *f, hst_error *err) {
    char label[HST__NODE_LABEL];
    const hst__step *s = atomic_load(&f->step);
    return s ? hst__fail(err, HST_E_FORMAT, "%s: an index lies outside the data",
                         hst__node_label(s->node, label, sizeof label))
             : HST_OK;
}

hst_status hst__op_nomem(hst__op_ctx *c, size_t bytes) {
    char label[HST__NODE_LABEL];
    if (c->blocks && c->blocks->full)
        return hst__op_fail(
            c, HST_E_LIMIT,
            "packed for fast kernels, weights that many nodes share would "
            "take more than %zu bytes",
            c->blocks->bytes_max);
    hst_status st = hst__fail_nomem(c->err, bytes);
    return hst__fail_in(c->err, st, "%s", hst__node_label(c->node, label, sizeof label));
}

hst_status hst__op_set_out(hst__op_ctx *c, int i, hst_dtype dtype, int rank,
                           const int64_t *dims) {
    size_t bytes;
    if (i >= c->n_out)
        return HST_OK;
    if (rank > HST_MAX_RANK)
        return hst__op_fail(c, HST_E_LIMIT, "output %d would have rank %d; at most %d", i,
                            rank, HST_MAX_RANK);
    c->out[i] = (hst__desc){.dtype = dtype, .rank = rank};
    for (int k = 0; k < rank; k++) {
        c->out[i].dims[k] = dims[k];
        if (dims[k] < 0)
            return hst__op_fail(c, HST_E_SHAPE, "dimension %d of output %d would be %lld",
                                k, i, (long long)dims[k]);
    }
    if (!hst__desc_bytes(&c->out[i], &bytes))
        return hst__op_fail(c, HST_E_LIMIT, "output %d would be larger than the memory",
                            i);
    return HST_OK;
}

/** Element k of a tensor as s64; the type must be an integer or bool. */
static bool get_int(const hst_tensor *t, size_t k, int64_t *out) {
    const char *p = (const char *)t->data + k * hst_dtype_size(t->desc.dtype);
#define INT_CASE(dtype, ctype)                                                           \
    case dtype: {                                                                        \
        ctype v;                                                                         \
        memcpy(&v, p, sizeof v);                                                         \
        *out = (int64_t)v;                                                               \
        return true;                                                                     \
    }
    switch (t->desc.dtype) {
        INT_CASE(HST_DTYPE_S64, int64_t)
        INT_CASE(HST_DTYPE_S32, int32_t)
        INT_CASE(HST_DTYPE_S16, int16_t)
        INT_CASE(HST_DTYPE_S8, int8_t)
        INT_CASE(HST_DTYPE_U64, uint64_t)
        INT_CASE(HST_DTYPE_U32, uint32_t)
        INT_CASE(HST_DTYPE_U16, uint16_t)
        INT_CASE(HST_DTYPE_U8, uint8_t)
        INT_CASE(HST_DTYPE_BOOL, uint8_t)
    default:
        return false;
    }
#undef INT_CASE
}

static bool get_float(const hst_tensor *t, size_t k, float *out) {
    const char *p = (const char *)t->data + k * hst_dtype_size(t->desc.dtype);
    int64_t i;
    uint16_t h;
    double d;
    switch (t->desc.dtype) {
    case HST_DTYPE_F32:
        memcpy(out, p, sizeof *out);
        return true;
    case HST_DTYPE_F64:
        memcpy(&d, p, sizeof d);
        *out = (float)d;
        return true;
    case HST_DTYPE_F16:
        memcpy(&h, p, sizeof h);
        *out = hst__f16_to_f32(h);
        return true;
    case HST_DTYPE_BF16:
        memcpy(&h, p, sizeof h);
        *out = hst__bf16_to_f32(h);
        return true;
    default:
        if (!get_int(t, k, &i))
            return false;
        *out = (float)i;
        return true;
    }
}

/** The known value of input i, or the error that fits. */
static hst_status known(hst__op_ctx *c, int i, int cap, const hst_tensor **t) {
    if (!hst__op_has(c, i))
        return hst__op_fail(c, HST_E_FORMAT, "input %d is missing", i);
    *t = c->in_const[i];
    if (!*t)
        return hst__op_fail(c, HST_E_VALUE_NEEDED, "the value of input %d must be known",
                            i);
    if (hst_tensor_count(*t) > (size_t)cap)
        return hst__op_fail(c, HST_E_SHAPE,
                            "input %d has %zu elements; at most %d are allowed", i,
                            hst_tensor_count(*t), cap);
    return HST_OK;
}

hst_status hst__op_ints(hst__op_ctx *c, int i, int64_t *out, int cap, int *count) {
    const hst_tensor *t;
    hst_status st = known(c, i, cap, &t);
    if (st)
        return st;
    *count = (int)hst_tensor_count(t);
    for (int k = 0; k < *count; k++)
        if (!get_int(t, (size_t)k, &out[k]))
            return hst__op_bad_type(c, i, "integers");
    return HST_OK;
}

hst_status hst__op_floats(hst__op_ctx *c, int i, float *out, int cap, int *count) {
    const hst_tensor *t;
    hst_status st = known(c, i, cap, &t);
    if (st)
        return st;
    *count = (int)hst_tensor_count(t);
    for (int k = 0; k < *count; k++)
        if (!get_float(t, (size_t)k, &out[k]))
            return hst__op_bad_type(c, i, "numbers");
    return HST_OK;
}

hst_status hst__op_scalar_int(hst__op_ctx *c, int i, int64_t fallback, int64_t *out) {
    int n = 0;
    *out = fallback;
    if (!hst__op_has(c, i))
        return HST_OK;
    hst_status st = hst__op_ints(c, i, out, 1, &n);
    if (!st && n != 1)
        st = hst__op_fail(c, HST_E_SHAPE, "input %d must have one element", i);
    return st;
}

hst_status hst__op_scalar_float(hst__op_ctx *c, int i, float fallback, float *out) {
    int n = 0;
    *out = fallback;
    if (!hst__op_has(c, i))
        return HST_OK;
    hst_status st = hst__op_floats(c, i, out, 1, &n);
    if (!st && n != 1)
        st = hst__op_fail(c, HST_E_SHAPE, "input %d must have one element", i);
    return st;
}

hst_status hst__op_axis(hst__op_ctx *c, int64_t axis, int rank, bool end, int *out) {
    int64_t a = axis < 0 ? axis + rank : axis;
    if (a < 0 || a > (end ? rank : rank - 1))
        return hst__op_fail(c, HST_E_SHAPE, "axis %lld is outside a tensor of rank %d",
                            (long long)axis, rank);
    *out = (int)a;
    return HST_OK;
}

hst_status hst__op_broadcast(hst__op_ctx *c, const hst__desc *a, const hst__desc *b,
                             hst__desc *out) {
    hst__desc r = {.dtype = a->dtype, .rank = a->rank > b->rank ? a->rank : b->rank};
    char ta[HST__DESC_TEXT], tb[HST__DESC_TEXT];
    for (int i = 0; i < r.rank; i++) {
        int ia = i - (r.rank - a->rank), ib = i - (r.rank - b->rank);
        int64_t da = ia >= 0 ? a->dims[ia] : 1, db = ib >= 0 ? b->dims[ib] : 1;
        if (da != db && da != 1 && db != 1)
            return hst__op_fail(c, HST_E_SHAPE, "%s and %s do not broadcast",
                                hst__desc_format(a, ta, sizeof ta),
                                hst__desc_format(b, tb, sizeof tb));
        r.dims[i] = da == 1 ? db : da;
    }
    *out = r;
    return HST_OK;
}

void *hst__op_state(hst__op_ctx *c, size_t bytes) {
    return hst__arena_alloc(c->arena, bytes);
}

void *hst__op_block(hst__op_ctx *c, size_t bytes, bool *filled) {
    hst__op_blocks *b = c->blocks;
    if (filled)
        *filled = false;
    if (b->count == b->cap) {
        int cap = b->cap ? b->cap * 2 : 32;
        void *items = hst__realloc(b->items, (size_t)b->cap * sizeof *b->items,
                                   (size_t)cap * sizeof *b->items);
        if (!items)
            return NULL;
        b->items = items;
        b->cap = cap;
    }
    b->full = b->bytes_max && (bytes > b->bytes_max || b->bytes > b->bytes_max - bytes);
    void *kept =
        b->full || !filled || !b->find ? NULL : b->find(b->user, b->count, bytes);
    void *p = kept || b->full ? kept : hst__alloc_raw(bytes);
    if (filled)
        *filled = kept;
    if (p) {
        b->items[b->count++] = (hst__op_block_item){p, bytes, kept};
        b->bytes += bytes;
    }
    return p;
}

/** Positions that a loop over all dimensions visits: those of an empty tensor too, whose
 * outer dimensions may be huge. */
static double positions(const hst__desc *d) {
    double n = d->dtype ? 1 : 0;
    for (int i = 0; i < d->rank; i++)
        n *= d->dims[i] > 1 ? (double)d->dims[i] : 1;
    return n;
}

double hst__step_ns(const hst__step *s) {
    const double element_ns = 5;
    double loops = s->macs * HST__MAC_NS, n = 0;
    if (s->alias)
        return 0;
    for (int i = 0; i < s->n_in; i++)
        if (!(s->consumed >> (i < 64 ? i : 63) & 1))
            n += positions(&s->in_desc[i]);
    for (int i = 0; i < s->n_out; i++)
        n += positions(&s->out_desc[i]);
    return n * element_ns + (s->ns > loops ? s->ns : loops);
}

void hst__op_blocks_fini(hst__op_blocks *b) {
    for (int i = 0; i < b->count; i++)
        if (!b->items[i].kept)
            hst__free(b->items[i].data);
    hst__free(b->items);
    *b = (hst__op_blocks){0};
}

void hst__op_release(const hst_tensor *t) {
    if (t->mapped)
        hst__file_map_drop(t->data, t->bytes);
}
