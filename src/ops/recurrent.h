/* What LSTM and GRU share: shapes, packed weights, the product of all inputs ahead of the
 * steps, and the walk over the steps of each direction. */
#ifndef HST_OPS_RECURRENT_H
#define HST_OPS_RECURRENT_H

#include "kernels/epilogue.h"
#include "kernels/gemm.h"
#include "ops/op.h"

enum { HST__RECURRENT_PARTS = 2 }; /**< products with the hidden state in one step */

struct hst__recurrent;

/** One direction at one batch entry and step. */
typedef struct hst__recurrent_cell {
    const struct hst__recurrent *s;
    const float *x;      /**< [gates * hidden]: W x + Wb, and Rb where bias_r is NULL */
    float *r;            /**< [gates * hidden]: R h */
    const float *bias_r; /**< [gates * hidden] or NULL: Rb, where it is not in x */
    const float *peep;   /**< [3 * hidden] or NULL: P of LSTM */
    float *h, *c;        /**< [hidden], in and out; c: LSTM only */
} hst__recurrent_cell;

/** Packed weights of one direction. */
typedef struct hst__recurrent_weights {
    const float *in, *h[HST__RECURRENT_PARTS];
    const float *bias, *bias_r; /**< [gates * hidden]; NULL: none */
} hst__recurrent_weights;

typedef struct hst__recurrent {
    size_t steps, batch, inputs, hidden, directions, gates;
    bool batch_first, backward; /**< backward: the first direction runs from the end */
    bool cell_state;            /**< LSTM: c beside h */
    bool split_bias;            /**< Rb is kept apart from Wb */
    /** The gates of the second product with h, which `between` may change first; 0: one
     * product. */
    size_t late_gates;
    void (*between)(const hst__recurrent_cell *cell, float *changed);
    void (*cell)(const hst__recurrent_cell *cell);
    hst__gemm_f32_plan in_plan, h_plan[HST__RECURRENT_PARTS];
    bool constant; /**< weights[] is filled; else each run packs them */
    hst__recurrent_weights weights[2];
    hst__act_row *sigmoid, *tanh;
} hst__recurrent;

/** Shapes and types of the inputs X, W, R, B, sequence_lens, initial_h, initial_c, P into
 * s, whose gates are set; the activations of each direction must be `acts`. */
hst_status hst__recurrent_read(hst__op_ctx *c, hst__recurrent *s, const char *acts);
/** Sets gates and functions of one operator, then calls hst__recurrent_read. */
typedef hst_status hst__recurrent_reader(hst__op_ctx *c, hst__recurrent *s);
hst_status hst__recurrent_infer(hst__op_ctx *c, hst__recurrent_reader *read);
hst_status hst__recurrent_prepare(hst__op_ctx *c, hst__step *step,
                                  hst__recurrent_reader *read);

#endif
