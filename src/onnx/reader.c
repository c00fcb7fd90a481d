/* What the parts of the reader share: memory within bounds, texts, values, constants. */
#include "onnx/reader.h"

#include <string.h>

#include "base/text.h"

enum { TENSOR_OVERHEAD = 512 }; /**< bytes of bookkeeping and alignment per tensor */
enum { WORK_MAX = 1 << 28 };    /**< some seconds */

hst_status hst__reader_budget(const hst__reader *r, size_t more) {
    const hst__graph *g = r->g;
    size_t used = g->arena.total + r->tensor_bytes + r->names.cap * sizeof(hst__name) +
                  r->names.table_size * sizeof *r->names.table +
                  (size_t)g->cap_values * sizeof *g->values +
                  (size_t)g->cap_nodes * sizeof *g->nodes +
                  (size_t)g->cap_owned * sizeof *g->owned;
    if (used <= r->budget && more <= r->budget - used)
        return HST_OK;
    return hst__fail(r->err, HST_E_LIMIT,
                     "the network takes more than %zu bytes to describe, which a file of "
                     "%zu bytes cannot honestly ask for",
                     r->budget, r->file->bytes);
}

hst_status hst__reader_work(hst__reader *r, size_t fields) {
    r->work += fields;
    if (r->work <= WORK_MAX)
        return HST_OK;
    return hst__fail(r->err, HST_E_LIMIT,
                     "the functions of the model expand to too large a network");
}

hst_status hst__reader_take(hst__reader *r, size_t count, size_t size, void *out) {
    void *p = NULL;
    size_t bytes;
    if (!hst__mul(count, size, &bytes))
        bytes = SIZE_MAX;
    hst_status st = hst__reader_budget(r, bytes);
    if (!st && !(p = hst__arena_alloc(&r->g->arena, bytes)))
        st = hst__fail_nomem(r->err, bytes);
    memcpy(out, &p, sizeof p);
    return st;
}

hst_status hst__reader_text(hst__reader *r, const char *prefix, hst__span text,
                            const char **out) {
    size_t front = strlen(prefix);
    size_t size = text.size ? strnlen((const char *)text.data, text.size) : 0;
    char *p;
    *out = "";
    if (front + size == 0)
        return HST_OK;
    hst_status st = hst__reader_take(r, front + size + 1, 1, &p);
    if (st)
        return st;
    memcpy(p, prefix, front);
    if (size)
        memcpy(p + front, text.data, size);
    *out = hst__text_clean(p, "");
    return HST_OK;
}

hst_status hst__reader_value(hst__reader *r, const hst__frame *frame, hst__span name,
                             hst__value_id *out) {
    const char *text;
    *out = HST__NONE;
    if (name.size == 0)
        return HST_OK;
    const hst__name *known = hst__names_find(&r->names, frame->scope, name);
    if (known) {
        *out = known->value;
        return HST_OK;
    }
    if (memchr(name.data, 0, name.size))
        return hst__fail(r->err, HST_E_FORMAT, "a value's name has a NUL byte in it");
    hst_status st = hst__reader_text(r, frame->prefix, name, &text);
    if (st)
        return st;
    hst__value_id v = hst__graph_add_value(r->g, NULL, NULL);
    if (v == HST__NONE || !hst__names_add(&r->names, frame->scope, name, v))
        return hst__fail_nomem(r->err, (size_t)r->g->cap_values * sizeof *r->g->values);
    r->g->values[v].name = text;
    *out = v;
    return HST_OK;
}

hst_status hst__reader_tensor(hst__reader *r, hst__span message, hst__span *name,
                              hst_tensor **out) {
    hst_status st = hst__reader_budget(r, TENSOR_OVERHEAD);
    if (!st)
        st = hst__tensor_proto_read(message, &r->source, name, out, r->err);
    if (!st)
        r->tensor_bytes += TENSOR_OVERHEAD + ((*out)->owned ? (*out)->bytes : 0);
    return st;
}

hst_status hst__reader_constant(hst__reader *r, hst__value_id v, hst_tensor *tensor) {
    if (r->g->values[v].constant) {
        hst_tensor_destroy(tensor);
        return hst__fail(r->err, HST_E_FORMAT, "weight '%.200s' is there a second time",
                         r->g->values[v].name);
    }
    if (hst__graph_set_constant(r->g, v, tensor))
        return HST_OK;
    return hst__fail_nomem(r->err, (size_t)r->g->cap_owned * 2 * sizeof *r->g->owned);
}
