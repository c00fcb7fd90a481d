/* Building error values. */
#ifndef HST_BASE_STATUS_H
#define HST_BASE_STATUS_H

#include "hasten/error.h"

#include <stddef.h>

/** Fills err (may be NULL) and returns status, so that `return hst__fail(...)` reads
 * well. */
__attribute__((format(printf, 3, 4))) hst_status
hst__fail(hst_error *err, hst_status status, const char *format, ...);

/** Puts "text: " in front of the message already in err (may be NULL); returns status. */
__attribute__((format(printf, 3, 4))) hst_status
hst__fail_in(hst_error *err, hst_status status, const char *format, ...);

/** HST_E_NOMEM with the number of bytes that were asked for; HST_E_LIMIT where so many
 * are never given. */
hst_status hst__fail_nomem(hst_error *err, size_t bytes);

#endif
