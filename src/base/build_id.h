/* Which build of the library this is: what it keeps on disk for itself is good for no
 * other. */
#ifndef HST_BASE_BUILD_ID_H
#define HST_BASE_BUILD_ID_H

#include <stddef.h>

/** The linker's identification of the library, or of the program it is linked into
 * (.note.gnu.build-id, System V ABI). NULL and 0 where there is none. */
const void *hst__build_id(size_t *bytes);

#endif
