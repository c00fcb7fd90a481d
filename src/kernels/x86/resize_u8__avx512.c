#include "kernels/x86/resize_u8.h"

const hst__resize_kernels hst__resize_u8__avx512 = RESIZE_KERNELS;
