#include "onnx/wire.h"

#include <string.h>

static bool read_bytes(pb_istream_t *stream, pb_byte_t *buffer, size_t count) {
    hst__wire *w = stream->state;
    if (buffer)
        memcpy(buffer, w->at, count);
    w->at += count;
    return true;
}

void hst__wire_open(hst__wire *w, hst__span message) {
    *w = (hst__wire){.at = message.data};
    w->stream.callback = read_bytes;
    w->stream.state = w;
    w->stream.bytes_left = message.size;
}

static bool read_number(pb_istream_t *stream, pb_wire_type_t type, uint64_t *number) {
    uint32_t narrow;
    switch (type) {
    case PB_WT_VARINT:
        return pb_decode_varint(stream, number);
    case PB_WT_32BIT:
        if (!pb_decode_fixed32(stream, &narrow))
            return false;
        *number = narrow;
        return true;
    case PB_WT_64BIT:
        return pb_decode_fixed64(stream, number);
    default:
        return false;
    }
}

bool hst__wire_next(hst__wire *w, hst__wire_field *field) {
    bool eof = false;
    uint64_t size;
    if (w->failed || w->stream.bytes_left == 0)
        return false;
    *field = (hst__wire_field){0};
    w->failed = true;
    if (!pb_decode_tag(&w->stream, &field->type, &field->tag, &eof))
        return false;
    if (field->type == PB_WT_STRING) {
        if (!pb_decode_varint(&w->stream, &size) || size > w->stream.bytes_left)
            return false;
        field->bytes = (hst__span){w->at, (size_t)size};
        if (!pb_read(&w->stream, NULL, (size_t)size))
            return false;
    } else if (!read_number(&w->stream, field->type, &field->number)) {
        return false;
    }
    w->failed = false;
    return true;
}

bool hst__wire_numbers(const hst__wire_field *field, pb_wire_type_t wire,
                       hst__wire_put *put, void *user) {
    if (field->type == wire)
        return put(user, field->number);
    if (field->type != PB_WT_STRING)
        return false;
    hst__wire w;
    uint64_t number;
    hst__wire_open(&w, field->bytes);
    while (w.stream.bytes_left > 0)
        if (!read_number(&w.stream, wire, &number) || !put(user, number))
            return false;
    return true;
}
