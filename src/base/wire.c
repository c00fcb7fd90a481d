#include "base/wire.h"

#include <string.h>

bool hst__span_equal(hst__span a, hst__span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool hst__span_is(hst__span a, const char *text) {
    return hst__span_equal(a, (hst__span){(const uint8_t *)text, strlen(text)});
}

static bool read_bytes(pb_istream_t *stream, pb_byte_t *buffer, size_t count) {
    hst__wire *w = stream->state;
    memcpy(buffer, w->at, count);
    w->at += count;
    return true;
}

void hst__wire_open(hst__wire *w, const hst__wire_message *message, hst__span bytes) {
    *w = (hst__wire){.message = message, .at = bytes.data, .start = bytes.data};
    w->stream = (pb_istream_t){
        .callback = read_bytes, .state = w, .bytes_left = bytes.data ? bytes.size : 0};
}

/** nanopb skips bytes by reading them, 16 at a time; this leaves weights untouched. */
static bool take(hst__wire *w, hst__span *bytes) {
    uint64_t size;
    if (!pb_decode_varint(&w->stream, &size))
        return false;
    if (size > w->stream.bytes_left) {
        w->stream.errmsg = "a field is longer than what holds it";
        return false;
    }
    *bytes = (hst__span){w->at, (size_t)size};
    w->at += size;
    w->stream.bytes_left -= (size_t)size;
    return true;
}

static bool read_number(pb_istream_t *stream, hst__wire_kind kind, uint64_t *number) {
    uint32_t narrow = 0;
    if (kind == HST__WIRE_VARINT)
        return pb_decode_varint(stream, number);
    if (kind == HST__WIRE_FIXED64)
        return pb_decode_fixed64(stream, number);
    bool ok = pb_decode_fixed32(stream, &narrow);
    *number = narrow;
    return ok;
}

static hst__wire_kind kind_of(pb_wire_type_t type) {
    switch (type) {
    case PB_WT_VARINT:
        return HST__WIRE_VARINT;
    case PB_WT_32BIT:
        return HST__WIRE_FIXED32;
    case PB_WT_64BIT:
        return HST__WIRE_FIXED64;
    case PB_WT_STRING:
        return HST__WIRE_BYTES;
    default:
        return HST__WIRE_UNKNOWN; /* groups, which no writer of today makes */
    }
}

/** The field at the stream's position, known or not. */
static bool read_field(hst__wire *w, hst__wire_field *field) {
    pb_wire_type_t type;
    bool end = false;
    *field = (hst__wire_field){0};
    w->fields++;
    if (!pb_decode_tag(&w->stream, &type, &field->tag, &end))
        return false;
    hst__wire_kind coded = kind_of(type);
    if (coded == HST__WIRE_UNKNOWN || field->tag == 0) {
        w->stream.errmsg = "there is no such field";
        return false;
    }
    if (coded == HST__WIRE_BYTES ? !take(w, &field->bytes)
                                 : !read_number(&w->stream, coded, &field->number))
        return false;
    field->kind = field->tag < w->message->count
                      ? (hst__wire_kind)w->message->kinds[field->tag]
                      : HST__WIRE_UNKNOWN;
    if (field->kind == HST__WIRE_UNKNOWN || field->kind == coded)
        return true;
    field->packed = field->kind > HST__WIRE_REPEAT && coded == HST__WIRE_BYTES;
    if (field->packed || field->kind == coded + HST__WIRE_REPEAT)
        return true;
    w->stream.errmsg = "a field is of another kind than the format says";
    return false;
}

bool hst__wire_next(hst__wire *w, hst__wire_field *field) {
    while (!w->fault && w->stream.bytes_left > 0) {
        if (!read_field(w, field))
            w->fault = w->stream.errmsg ? w->stream.errmsg : "it ends too early";
        else if (field->kind != HST__WIRE_UNKNOWN)
            return true;
    }
    return false;
}

hst_status hst__wire_status(const hst__wire *w, hst_error *err) {
    if (!w->fault)
        return HST_OK;
    return hst__fail(err, HST_E_FORMAT, "malformed %s at its byte %zu: %s",
                     w->message->name, (size_t)(w->at - w->start), w->fault);
}

size_t hst__wire_count(const hst__wire_field *field) {
    size_t count = 0;
    if (!field->packed)
        return 1;
    if (field->kind != HST__WIRE_VARINTS)
        return field->bytes.size / (field->kind == HST__WIRE_FIXED32S ? 4 : 8);
    for (size_t i = 0; i < field->bytes.size; i++)
        count += field->bytes.data[i] < 0x80;
    return count;
}

bool hst__wire_numbers(const hst__wire_field *field, hst__wire_put *put, void *user) {
    static const hst__wire_message plain = {.name = "list of numbers"};
    hst__wire w;
    uint64_t number;
    if (!field->packed) {
        put(user, field->number);
        return true;
    }
    hst__wire_open(&w, &plain, field->bytes);
    while (w.stream.bytes_left > 0) {
        if (!read_number(&w.stream, field->kind - HST__WIRE_REPEAT, &number))
            return false;
        put(user, number);
    }
    return true;
}
