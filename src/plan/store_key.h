/* What tells one planning from another, as hashes (XXH3 of xxHash). */
#ifndef HST_PLAN_STORE_KEY_H
#define HST_PLAN_STORE_KEY_H

#include "base/file_map.h"
#include "plan/plan.h"

/** Of build, CPU level, input shapes, and the graph with the first and last bytes of its
 * constants; the number of threads is no part, as packing does not depend on it. False
 * where builds of the library cannot be told apart. */
bool hst__store_key(const hst__graph *graph, const hst__plan_options *options,
                    uint64_t key[2]);
/** Of all bytes of all constants; what is mapped leaves memory again. */
void hst__store_content(const hst__graph *graph, uint64_t content[2]);
/** Of the files that a model is from. */
void hst__store_identity(const hst__file_identity *files, size_t n, uint64_t identity[2]);
/** Of two stretches of bytes; one may be empty. */
uint64_t hst__hash_two(const void *a, size_t a_bytes, const void *b, size_t b_bytes);

#endif
