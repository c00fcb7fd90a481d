/* Fields of a protobuf message, one after another, without copying. The wire format
 * itself is decoded by nanopb. */
#ifndef HST_ONNX_WIRE_H
#define HST_ONNX_WIRE_H

#include <pb_decode.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A piece of the file. */
typedef struct hst__span {
    const uint8_t *data;
    size_t size;
} hst__span;

typedef struct hst__wire_field {
    uint32_t tag;
    pb_wire_type_t type;
    uint64_t number; /**< varint, or the bits of a fixed-size number */
    hst__span bytes; /**< of a length-delimited field */
} hst__wire_field;

typedef struct hst__wire {
    pb_istream_t stream;
    const uint8_t *at;
    bool failed; /**< malformed; no further field comes */
} hst__wire;

void hst__wire_open(hst__wire *w, hst__span message);
/** The next field; false at the end and when malformed. The wire must not be moved in
 * memory while it is read. */
bool hst__wire_next(hst__wire *w, hst__wire_field *field);

/** Numbers of a repeated field, packed or one by one: calls put for each. wire is VARINT,
 * 32BIT or 64BIT. False when malformed or when put says so. */
typedef bool hst__wire_put(void *user, uint64_t number);
bool hst__wire_numbers(const hst__wire_field *field, pb_wire_type_t wire,
                       hst__wire_put *put, void *user);

#endif
