#include "kernels/pool_body.h"

const hst__pool_f32 hst__pool_f32__avx512 = {"pool_f32__avx512", max_rows, average_rows, max_all,
                                          average_all};
