/* Kernels that read Huffman codes of sequential JPEG: blocks of 64 coefficients, the DC
 * as a difference to the block before, then runs of zeros and values. The stream comes
 * without its stuffing (00 behind FF) and without markers. */
#ifndef HST_KERNELS_HUFFMAN_H
#define HST_KERNELS_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hasten/cpu.h"

enum {
    HST__HUFFMAN_LOOK = 11,   /**< bits looked up at once */
    HST__HUFFMAN_DC_LOOK = 8, /**< for DC: tables of all blocks fit the first cache */
    HST__HUFFMAN_MOST = 31,   /**< bits of a symbol: a code of 16, a value of 15 */
    HST__HUFFMAN_BLOCKS = 10,
    /** Bytes that must be readable from the reader's p on: what the longest symbols of
     * the most blocks take, and what lies in the reader and in one load behind it. */
    HST__HUFFMAN_ROOM = HST__HUFFMAN_BLOCKS * 64 * (HST__HUFFMAN_MOST + 1) / 8 + 16,
    HST__HUFFMAN_AT_ONCE = 3, /**< entries whose bits 56 hold for certain */
    HST__HUFFMAN_VALUES = 64,
    HST__HUFFMAN_EXIT = 128,
};

/** What the next HST__HUFFMAN_LOOK bits of AC codes begin with: one or two symbols that
 * have values. The bits of the first value are all seen, those of the second need not be;
 * one alone stands as the second, with a first at the same place. */
typedef struct hst__huffman_ac {
    /** Bits of it all, at most 56 / HST__HUFFMAN_AT_ONCE, and flags. EXIT with VALUES:
     * the end of the block comes behind the values, and is counted. EXIT with bits alone:
     * it comes at once. EXIT alone: only hst__huffman_slow knows. */
    uint8_t total;
    uint8_t step1, step2; /**< from the coefficient before to the first, to the second */
    uint8_t before;       /**< bits before the second value */
    uint8_t gap;          /**< 64 less its bits */
    int8_t base;          /**< added to its bits: 0, or 1 - 2^bits where the first is 0 */
    int16_t value1;
} hst__huffman_ac;

/** The same for the next HST__HUFFMAN_DC_LOOK bits of DC codes, one symbol. */
typedef struct hst__huffman_dc {
    uint8_t total; /**< bits of it all, or EXIT alone */
    uint8_t before, gap;
    int32_t base;
} hst__huffman_dc;

/** A symbol as the file defines it. */
typedef struct hst__huffman_symbol {
    uint8_t code;  /**< bits of its code; 0: there is none */
    uint8_t size;  /**< bits of the value behind the code, 0 to 15 */
    uint8_t zeros; /**< AC: before the value */
} hst__huffman_symbol;

/** One table as a file gives it, and made ready. */
typedef struct hst__huffman_table {
    union {
        hst__huffman_ac ac[1 << HST__HUFFMAN_LOOK];
        hst__huffman_dc dc[1 << HST__HUFFMAN_DC_LOOK];
    } look;
    uint8_t counts[17]; /**< codes of 1 to 16 bits */
    uint8_t symbols[256];
} hst__huffman_table;

/** Makes a table of counts[1..16] and their symbols in order, `ac` or DC. False where
 * the counts are no code, or a DC symbol says more than 15 bits. */
bool hst__huffman_make(hst__huffman_table *table, const uint8_t counts[17],
                       const uint8_t symbols[256], bool ac);

/** The symbol that `bits` begin with. */
hst__huffman_symbol hst__huffman_slow(const hst__huffman_table *table, uint64_t bits,
                                      bool ac);
/** The value behind its code; 0 where it has none. */
static inline int hst__huffman_value(uint64_t bits, hst__huffman_symbol s) {
    if (s.size == 0)
        return 0;
    uint64_t v = bits << s.code;
    return (int)(v >> (64 - s.size)) + (v >> 63 ? 0 : 1 - (1 << s.size));
}

/** A place in the stream. */
typedef struct hst__huffman_reader {
    const uint8_t *p; /**< not yet in `bits` */
    uint64_t bits;    /**< from the top; those behind the n first are right or 0 */
    unsigned n;       /**< how many of them count, 0 to 63 */
} hst__huffman_reader;

/** Blocks that lie together in the stream. */
typedef struct hst__huffman_unit {
    int blocks; /**< 1 to HST__HUFFMAN_BLOCKS */
    const hst__huffman_table *dc[HST__HUFFMAN_BLOCKS], *ac[HST__HUFFMAN_BLOCKS];
    int component[HST__HUFFMAN_BLOCKS];
    int last_dc[4]; /**< by component */
} hst__huffman_unit;

/** Reads a unit into its blocks, which must be 0: coefficients in rows of 8, not in the
 * order of the stream. False where there is no such code, a block has more than 64
 * coefficients or a DC leaves 16 bits; blocks and reader are then of no use. */
typedef bool hst__huffman_read_fn(hst__huffman_reader *reader, hst__huffman_unit *unit,
                                  int16_t *const *blocks);

hst__huffman_read_fn hst__huffman_read__ref, hst__huffman_read__avx2;

/** The kernel for a level; NULL where there is none but the reference, which is slow. */
hst__huffman_read_fn *hst__huffman_pick(hst_cpu_level level);

/** Place in rows of 8 of the k-th coefficient; the last one for those beyond it, to which
 * two symbols may lead. */
extern const uint8_t hst__huffman_order[64 + 32];

#endif
