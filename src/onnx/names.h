/* Names of values -> value ids: a hash table over pieces of the file. */
#ifndef HST_ONNX_NAMES_H
#define HST_ONNX_NAMES_H

#include "graph/graph.h"
#include "onnx/wire.h"

typedef struct hst__names {
    hst__graph *g;
    int32_t *table; /**< value id + 1; 0 is free; size is a power of two */
    size_t size, used;
} hst__names;

void hst__names_fini(hst__names *n);
/** The value of this name, added to the graph where there is none; NONE when out of
 * memory. Names with a NUL byte inside are cut there. */
hst__value_id hst__names_get(hst__names *n, hst__span name);
/** The value of this name or NONE. */
hst__value_id hst__names_find(const hst__names *n, hst__span name);

#endif
