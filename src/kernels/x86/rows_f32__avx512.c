#include "kernels/rows_body.h"

const hst__rows_f32 hst__rows_f32__avx512 = {"rows_f32__avx512", softmax_row, norm_row};
