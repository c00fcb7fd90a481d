/* Windows for the resize families: as a resize makes them, or anywhere within a row. */
#ifndef HST_TESTS_KCHECK_RESIZE_WINDOWS_H
#define HST_TESTS_KCHECK_RESIZE_WINDOWS_H

#include "kcheck.h"
#include "kernels/resize.h"

/** Windows of `outputs` over `width`, of at most `most` taps, with weights of every form
 * that the family asks for: fixed with its parts, or f32. In buffers of k. */
hst__resize_taps windows_make(kcheck *k, int outputs, int width, int most, bool fixed);
/** Two or four taps; windows of four (and, vertically, of two) may leave the row. */
hst__resize_short windows_short(kcheck *k, int outputs, int width, int taps);
/** `n` rows of `bytes` random bytes, each against a page that cannot be read. */
const uint8_t **windows_rows(kcheck *k, int n, size_t bytes);

#endif
