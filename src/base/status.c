#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

const char *hst_status_text(hst_status status) {
    switch (status) {
#define HST_STATUS_CASE(name, value, text)                                               \
    case name:                                                                           \
        return text;
        HST_STATUS_LIST(HST_STATUS_CASE)
#undef HST_STATUS_CASE
    }
    return "unknown status";
}

hst_status hst__fail(hst_error *err, hst_status status, const char *format, ...) {
    if (err) {
        va_list args;
        err->status = status;
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
        hst__text_clean(err->message, "\n");
    }
    return status;
}

hst_status hst__fail_in(hst_error *err, hst_status status, const char *format, ...) {
    if (!err)
        return status;
    char old[sizeof err->message];
    memcpy(old, err->message, sizeof old);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n + 3 < sizeof err->message) {
        int room = (int)(sizeof err->message - (size_t)n) - 3;
        snprintf(err->message + n, sizeof err->message - (size_t)n, ": %.*s", room, old);
    }
    hst__text_clean(err->message, "\n");
    err->status = status;
    return status;
}

hst_status hst__fail_nomem(hst_error *err, size_t bytes) {
    if (bytes > HST__ALLOC_MAX)
        return hst__fail(
            err, HST_E_LIMIT,
            "%zu bytes in one piece; at most %zu are taken: use smaller shapes", bytes,
            HST__ALLOC_MAX);
    return hst__fail(err, HST_E_NOMEM, "out of memory: %zu bytes were asked for", bytes);
}
