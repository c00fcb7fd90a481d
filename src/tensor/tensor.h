/* Tensors inside the library: element type, shape, data and who owns it. */
#ifndef HST_TENSOR_TENSOR_H
#define HST_TENSOR_TENSOR_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"
#include "hasten/tensor.h"

typedef hst_tensor_info hst__desc; /**< element type and shape */

struct hst_tensor {
    hst__desc desc;
    void *data; /**< may be unaligned when borrowed from a model file */
    size_t bytes;
    bool owned;  /**< data is freed with the tensor */
    bool mapped; /**< data lies in a read-only file map, whose pages may be dropped */
};

/** Largest product of a shape's dimensions, those of size 0 left out: strides, offsets
 * and bytes of every valid shape, an empty one too, are far from overflow. */
#define HST__EXTENT_MAX ((size_t)1 << 48)

/** Number of elements; false when the rank or a dimension is out of range or the extent
 * exceeds HST__EXTENT_MAX. */
bool hst__desc_count(const hst__desc *d, size_t *count);
/** Bytes of a dense tensor; false as above. */
bool hst__desc_bytes(const hst__desc *d, size_t *bytes);
/** Elements of dims[from..to-1]; the shape must be valid. Empty range gives 1. */
size_t hst__desc_span(const hst__desc *d, int from, int to);
static inline size_t hst__desc_size(const hst__desc *d) {
    return hst__desc_span(d, 0, d->rank);
}
bool hst__desc_equal_shape(const hst__desc *a, const hst__desc *b);
/** Writes "f32[1,3,224,224]"; free dimensions print as ?. Returns buffer. */
const char *hst__desc_format(const hst__desc *d, char *buffer, size_t size);
enum { HST__DESC_TEXT = 200 };

/** Row-major strides in elements. */
void hst__desc_strides(const hst__desc *d, int64_t strides[HST_MAX_RANK]);

#endif
