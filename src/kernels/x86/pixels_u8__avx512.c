#include "kernels/x86/pixels_u8.h"

const hst__pixels_kernels hst__pixels_u8__avx512 = PIXELS_KERNELS;
