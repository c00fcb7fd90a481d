/* Errors are values: every call that can fail returns an hst_status and, when the caller
 * passes an hst_error, leaves there a sentence that says where, what and what to do. */
#ifndef HASTEN_ERROR_H
#define HASTEN_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(HASTEN_BUILD)
#define HST_API __attribute__((visibility("default")))
#else
#define HST_API
#endif

/** The one list of statuses: X(name, value, text). Values never change meaning. */
#define HST_STATUS_LIST(X)                                                                 \
    X(HST_OK, 0, "done")                                                                   \
    X(HST_E_NOMEM, 1, "out of memory")                                                     \
    X(HST_E_ARG, 2, "wrong argument")                                                      \
    X(HST_E_IO, 3, "file could not be read or written")                                    \
    X(HST_E_FORMAT, 4, "malformed data")                                                   \
    X(HST_E_UNSUPPORTED, 5, "not supported")                                               \
    X(HST_E_SHAPE, 6, "shapes do not fit")                                                 \
    X(HST_E_TYPE, 7, "element types do not fit")                                           \
    X(HST_E_LIMIT, 8, "a limit was exceeded")                                              \
    X(HST_E_VALUE_NEEDED, 9, "a value is needed before the run")                           \
    X(HST_E_INTERNAL, 10, "internal error")

typedef enum hst_status {
#define HST_STATUS_ENUM(name, value, text) name = value,
    HST_STATUS_LIST(HST_STATUS_ENUM)
#undef HST_STATUS_ENUM
} hst_status;

/** Filled by a failing call; caller's memory, no ownership, always NUL-terminated. The
 * message is clean in the sense of hst_text_clean, but for line ends between the items of
 * a list. */
typedef struct hst_error {
    hst_status status;
    char message[3072];
} hst_error;

/** A short constant English text for a status; never NULL, even for unknown values. */
HST_API const char *hst_status_text(hst_status status);

/** Makes a text fit for a terminal, a log or JSON: every byte that is no part of
 * well-formed UTF-8 (RFC 3629), of a control character or of one that changes the
 * direction of writing becomes '?'. In place; returns text. Whatever Hasten reads from
 * files (names, labels) has been through it already; paths have not. */
HST_API char *hst_text_clean(char *text);

#ifdef __cplusplus
}
#endif
#endif
