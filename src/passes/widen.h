/* Half-precision floats are stored, not computed: f16 and bf16 values become f32 right
 * behind the inputs and constants, and f16 or bf16 again right before the outputs. */
#ifndef HST_PASSES_WIDEN_H
#define HST_PASSES_WIDEN_H

#include "ops/op.h"

typedef struct hst__widen {
    hst_dtype *half; /**< for each value: F16 or BF16 if the file means that, else NONE */
    int count;
} hst__widen;

/** Converts constants, puts Casts behind half inputs, retargets Casts to half. */
hst_status hst__widen_begin(hst__graph *g, hst__widen *w, hst_error *err);
/** After inference of a node: its f32 outputs inherit the mark of its half inputs. */
void hst__widen_node(const hst__graph *g, const hst__node *n, hst__widen *w);
/** Puts Casts before graph outputs that are half in the file; they come out resolved. */
hst_status hst__widen_end(hst__graph *g, hst__widen *w, hst_error *err);
void hst__widen_fini(hst__widen *w);

#endif
