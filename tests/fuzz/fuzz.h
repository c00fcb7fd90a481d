/* What a fuzz target defines: called with each input, whatever it holds. Returns 0. */
#ifndef HST_TESTS_FUZZ_H
#define HST_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
