#include "kernels/x86/rows_f32.h"

const hst__rows_f32 hst__rows_f32__avx512 = {"rows_f32__avx512", softmax_row,
                                             softmax_masked, softmax_columns, norm_row};
