/* What the parts of the harness share; checks do not include it. */
#ifndef HST_TESTS_KCHECK_STATE_H
#define HST_TESTS_KCHECK_STATE_H

#include "kcheck.h"

enum { KC_MAX_BUFFERS = 96, KC_MAX_SEEN = 512, KC_MAX_REPORTS = 4 };

typedef struct kc_block {
    unsigned char *map; /**< guard page, body, guard page */
    size_t body;        /**< bytes between the guards */
    unsigned char *data;
    size_t bytes;
} kc_block;

typedef struct kc_state {
    uint64_t rng;
    char label[256]; /**< the present case */
    size_t passed, failed;
    int reports; /**< mismatches printed for this family and level */
    bool flush;
    unsigned saved_fp;
    kc_block blocks[KC_MAX_BUFFERS];
    int n_blocks;
    struct {
        const char *family;
        int key;
        kc_fn *fn;
    } seen[KC_MAX_SEEN];
    int n_seen;
} kc_state;

/** Counts one check; true with `holds`. A false one is announced on stdout unless many
 * were before: then `report` is false and the caller stays silent. */
bool kc_count(kcheck *k, bool holds, bool *report);

#endif
