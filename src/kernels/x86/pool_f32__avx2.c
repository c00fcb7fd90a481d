#include "kernels/x86/pool_all_f32.h"

const hst__pool_f32 hst__pool_f32__avx2 = {"pool_f32__avx2", max_rows, average_rows,
                                           max_all, average_all};
