#define LEVEL(name) name##__avx2

#include "kernels/x86/winograd_f32.h"
