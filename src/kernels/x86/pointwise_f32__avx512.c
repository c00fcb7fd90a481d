#include "kernels/pointwise_body.h"

const hst__pointwise_f32 hst__pointwise_f32__avx512 =
    POINTWISE_TABLE("pointwise_f32__avx512");
