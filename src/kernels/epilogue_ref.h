/* The activations that kernels apply in registers, on one value. */
#ifndef HST_KERNELS_EPILOGUE_REF_H
#define HST_KERNELS_EPILOGUE_REF_H

#include "kernels/epilogue.h"

/** Other kinds leave x as it is: a row function applies them. NaN stays NaN. */
static inline float hst__act_apply__ref(float x, const hst__act *act) {
    switch (act->kind) {
    case HST__ACT_RELU:
        return x < 0 ? 0 : x;
    case HST__ACT_CLIP:
        x = x < act->a ? act->a : x;
        return x > act->b ? act->b : x;
    case HST__ACT_LEAKY_RELU:
        return x < 0 ? x * act->a : x;
    default:
        return x;
    }
}

#endif
