#include "kernels/rows_body.h"

const hst__rows_f32 hst__rows_f32__avx2 = {"rows_f32__avx2", softmax_row, norm_row};
