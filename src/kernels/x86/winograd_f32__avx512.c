#define LEVEL(name) name##__avx512

#include "kernels/x86/winograd_f32.h"
