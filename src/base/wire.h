/* Fields of a protobuf message, one after another, without copying. nanopb decodes the
 * wire format; a table per message says which fields are known and how they are coded. */
#ifndef HST_BASE_WIRE_H
#define HST_BASE_WIRE_H

#include <pb_decode.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** A piece of a file; data may be NULL where size is 0. */
typedef struct hst__span {
    const uint8_t *data;
    size_t size;
} hst__span;

/** A span as the two arguments of "%.*s", cut to what fits into a message. */
#define HST__SPAN_TEXT(span)                                                             \
    (int)((span).size > 200 ? 200 : (span).size),                                        \
        (span).size ? (const char *)(span).data : ""

bool hst__span_equal(hst__span a, hst__span b);
bool hst__span_is(hst__span a, const char *text);

typedef enum hst__wire_kind {
    HST__WIRE_UNKNOWN, /**< skipped */
    HST__WIRE_VARINT,
    HST__WIRE_FIXED32,
    HST__WIRE_FIXED64,
    HST__WIRE_BYTES,  /**< text, bytes, or a message */
    HST__WIRE_REPEAT, /**< added to a number: repeated, packed or one by one */
    HST__WIRE_VARINTS = HST__WIRE_VARINT + HST__WIRE_REPEAT,
    HST__WIRE_FIXED32S = HST__WIRE_FIXED32 + HST__WIRE_REPEAT,
    HST__WIRE_FIXED64S = HST__WIRE_FIXED64 + HST__WIRE_REPEAT,
} hst__wire_kind;

/** What a message may hold. Written from a list X(message, field, number, kind):
 * HST__WIRE_NUMBER makes enumerators of it, HST__WIRE_KIND the table. */
typedef struct hst__wire_message {
    const char *name;
    uint32_t count;
    const unsigned char *kinds; /**< by field number, `count` of them */
} hst__wire_message;

#define HST__WIRE_NUMBER(message, field, number, kind) HST__##message##_##field = number,
#define HST__WIRE_KIND(message, field, number, kind) [number] = HST__WIRE_##kind,

typedef struct hst__wire_field {
    uint32_t tag;
    hst__wire_kind kind;
    bool packed;     /**< a repeated number whose elements are in bytes */
    uint64_t number; /**< varint, or the bits of a fixed-size number */
    hst__span bytes;
} hst__wire_field;

typedef struct hst__wire {
    const hst__wire_message *message;
    pb_istream_t stream;
    const uint8_t *at, *start;
    size_t fields;     /**< seen so far, unknown ones too */
    const char *fault; /**< why it is malformed; no further field comes */
} hst__wire;

/** The wire must not be moved in memory while it is read. */
void hst__wire_open(hst__wire *w, const hst__wire_message *message, hst__span bytes);
/** The next known field; false at the end and when malformed, which includes known fields
 * that are coded otherwise than their kind says. */
bool hst__wire_next(hst__wire *w, hst__wire_field *field);
/** HST_OK unless malformed: FORMAT, naming the message and the place. */
hst_status hst__wire_status(const hst__wire *w, hst_error *err);

/** Elements that a field of repeated numbers brings; exact for well-formed ones. */
size_t hst__wire_count(const hst__wire_field *field);
/** Calls put for each number of the field, at most hst__wire_count times. False when
 * malformed. */
typedef void hst__wire_put(void *user, uint64_t number);
bool hst__wire_numbers(const hst__wire_field *field, hst__wire_put *put, void *user);

#endif
