/* Names of values -> value ids: a hash table over pieces of the file. */
#ifndef HST_ONNX_NAMES_H
#define HST_ONNX_NAMES_H

#include "base/wire.h"
#include "graph/graph.h"

/** A name counts within its scope: the graph, or one call of a function. */
typedef struct hst__name {
    uint32_t scope;
    hst__value_id value;
    hst__span text; /**< in the file */
} hst__name;

typedef struct hst__names {
    hst__name *items;
    uint32_t *table;               /**< index of an item + 1; 0 is free */
    size_t count, cap, table_size; /**< table_size: a power of two */
    uint64_t seed;
} hst__names;

void hst__names_init(hst__names *n);
void hst__names_fini(hst__names *n);
/** The item of this name, NULL if none. Valid until the next one is added. */
const hst__name *hst__names_find(const hst__names *n, uint32_t scope, hst__span text);
/** Adds a name that is not there yet; the text must outlive the table. False when out of
 * memory. */
bool hst__names_add(hst__names *n, uint32_t scope, hst__span text, hst__value_id value);

#endif
