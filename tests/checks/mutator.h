/* Changes to ONNX files that aim at their structure, not at the payload of weights. */
#ifndef HST_TESTS_MUTATOR_H
#define HST_TESTS_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct mutator {
    const uint8_t *model;
    size_t size;
    size_t leaves;     /**< numbers, texts and small payloads that can be changed */
    size_t structural; /**< bytes outside large payloads */
    struct mutator_span *payloads; /**< large payloads in rising order */
    size_t n_payloads, cap_payloads;
} mutator;

/** Reads the structure of a well-formed model, which must outlive m. 0 on success. */
int mutator_init(mutator *m, const void *model, size_t size);
void mutator_fini(mutator *m);

/** The file offset of structural byte i, 0 <= i < structural. */
size_t mutator_offset(const mutator *m, size_t i);

/** A changed copy by `seed`: fields get odd values, are dropped, doubled or swapped, with
 * the lengths around them right; or bytes are changed as they lie. The caller's to free;
 * NULL when out of memory. */
uint8_t *mutator_make(const mutator *m, uint64_t seed, size_t *size);

#endif
