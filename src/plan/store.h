/* Packed weights kept in a file, so that planning the same again need not pack: the file
 * is mapped, and its blocks are used where they lie. It is good for one build of the
 * library, one CPU level, one graph and its constants, and one set of input shapes;
 * anything else, and a damaged file, is as if it were not there. */
#ifndef HST_PLAN_STORE_H
#define HST_PLAN_STORE_H

#include "plan/plan.h"

typedef struct hst__store hst__store;

/** What options->folder keeps for this graph and these options; NULL where it has nothing
 * that fits. Verifies every block's checksum, in parallel. */
hst__store *hst__store_open(const hst__graph *graph, const hst__plan_options *options);
/** NULL does nothing. */
void hst__store_close(hst__store *store);
/** For hst__op_blocks: block `index`, if it has so many bytes. */
void *hst__store_find(void *store, int index, size_t bytes);
/** Whether planning asked for the very blocks that are there. */
bool hst__store_fits(const hst__store *store, const hst__op_blocks *blocks);

/** Keeps the plan's blocks in options->folder, which is made if need be. graph and
 * options are those that the plan was made from, without bound values. *path gets the
 * file's name (cap bytes), *bytes its size. Errors: IO, NOMEM, UNSUPPORTED (a build that
 * cannot be told from others). */
hst_status hst__store_write(const hst__plan *plan, const hst__graph *graph,
                            const hst__plan_options *options, char *path, size_t cap,
                            size_t *bytes, hst_error *err);

#endif
