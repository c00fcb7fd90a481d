/* What MatMul, Gemm and their relatives share: batched products of matrices. */
#ifndef HST_OPS_PRODUCT_H
#define HST_OPS_PRODUCT_H

#include "kernels/gemm.h"
#include "ops/op.h"

/** C[b] = act(alpha * A[b] * B[b] + bias + addend[b]) for b in 0..batch-1. */
typedef struct hst__product {
    size_t batch, m, n, k;
    bool a_transposed, b_transposed; /**< A lies as [k,m], B as [n,k] */
    float alpha;
    hst__act act;
    int a, b, bias, addend; /**< indices of the node's inputs; -1: none */
    bool bias_scalar;       /**< the bias is one number */
    size_t addend_rows;     /**< row stride of the addend; 0: its one row serves all */
    /** For each batch the element offsets of its A and B; NULL: dense, in order. */
    const size_t *a_offset, *b_offset;
} hst__product;

/** Prepares the step of an f32 product. A B that is constant and the same for all batches
 * is packed now, else at each run. */
hst_status hst__product_prepare(hst__op_ctx *c, hst__step *s,
                                const hst__product *product);

/** Where each of `count` batches of `matrix` starts, in elements: its leading dimensions
 * broadcast to `batch`. NULL when out of memory. */
const size_t *hst__product_offsets(hst__op_ctx *c, const hst__desc *matrix,
                                   const hst__desc *batch, size_t count);

/** The fused activation that passes left on a node. */
static inline hst__act hst__product_act(const hst__node *n) {
    return (hst__act){(hst__act_kind)n->act_kind, n->act_a, n->act_b};
}

#endif
