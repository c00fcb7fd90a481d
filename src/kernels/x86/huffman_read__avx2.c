/* No vectors here, but shifts by any register (BMI2), of which the chain of dependent
 * steps is made: bits, entry, bits. */
#include <string.h>

#include "kernels/huffman.h"

typedef hst__huffman_entry entry;

/** At least 56 bits. */
static inline void refill(hst__huffman_reader *r) {
    uint64_t v;
    memcpy(&v, r->p, sizeof v);
    r->bits |= __builtin_bswap64(v) >> r->n;
    r->p += (63 - r->n) >> 3;
    r->n |= 56;
}

static inline entry look(const hst__huffman_table *t, uint64_t bits) {
    return t->look[bits >> (64 - HST__HUFFMAN_LOOK)];
}

static inline void drop(hst__huffman_reader *r, unsigned n) {
    r->bits <<= n & 63;
    r->n -= n & 63;
}

/* The bits of the first and the second value. */
static inline int first(uint64_t bits, entry e) {
    return (int)(bits << (e >> 8 & 63) >> (e >> 14 & 63));
}
static inline int second(uint64_t bits, entry e) {
    return (int)(bits << (e >> 20 & 63) >> (e >> 26 & 63));
}

static inline bool read_dc(hst__huffman_reader *r, const hst__huffman_table *t,
                           int *last) {
    refill(r);
    entry e = look(t, r->bits);
    if (e & HST__HUFFMAN_SPECIAL) {
        hst__huffman_symbol s = hst__huffman_slow(t, r->bits, false);
        *last += hst__huffman_value(r->bits, s);
        drop(r, s.code + s.size);
        return s.code && *last == (int16_t)*last;
    }
    *last += first(r->bits, e) + (int)((int64_t)e >> 40);
    drop(r, (unsigned)e);
    return *last == (int16_t)*last;
}

/** One symbol of any kind behind coefficient k. Returns where that leads: 63 where the
 * block ends, more where there is no such symbol or place. */
static inline unsigned read_one(hst__huffman_reader *r, const hst__huffman_table *t,
                                unsigned k, int16_t *block) {
    refill(r);
    hst__huffman_symbol s = hst__huffman_slow(t, r->bits, true);
    int v = hst__huffman_value(r->bits, s);
    drop(r, s.code + s.size);
    if (s.code == 0)
        return 64;
    if (s.size == 0) /* 16 zeros, of which some may lie behind the end */
        return s.zeros == 15 && k + 16 < 63 ? k + 16 : 63;
    k += s.zeros + 1u;
    block[hst__huffman_order[k]] = (int16_t)v;
    return k;
}

static inline bool read_ac(hst__huffman_reader *r, const hst__huffman_table *t,
                           int16_t *block) {
    unsigned k = 0;
    do {
        entry e;
        refill(r);
#pragma GCC unroll 3
        for (int i = 0; i < HST__HUFFMAN_AT_ONCE; i++) {
            e = look(t, r->bits);
            if (e & HST__HUFFMAN_SPECIAL)
                break;
            unsigned k1 = k + (uint8_t)(e >> 32);
            k = k1 + (uint8_t)(e >> 48);
            block[hst__huffman_order[k1]] =
                (int16_t)(first(r->bits, e) + (int8_t)(e >> 40));
            block[hst__huffman_order[k]] =
                (int16_t)(second(r->bits, e) + (int)((int64_t)e >> 56));
            if (k >= 63 && (k > 63 || e & HST__HUFFMAN_END)) /* what ends at the first? */
                return k1 == 63 && read_one(r, t, 63 - (uint8_t)(e >> 32), block) == 63;
            drop(r, (unsigned)e);
            if (k == 63 || e & HST__HUFFMAN_END)
                return true;
        }
        if (e & HST__HUFFMAN_SPECIAL) {
            if (e & HST__HUFFMAN_END) {
                drop(r, (unsigned)e);
                return true;
            }
            k = read_one(r, t, k, block);
        }
    } while (k < 63);
    return k == 63;
}

bool hst__huffman_read__avx2(hst__huffman_reader *reader, hst__huffman_unit *unit,
                             int16_t *const *blocks) {
    hst__huffman_reader r = *reader;
    for (int i = 0; i < unit->blocks; i++) {
        if (!read_dc(&r, unit->dc[i], &unit->last_dc[unit->component[i]]))
            return false;
        blocks[i][0] = (int16_t)unit->last_dc[unit->component[i]];
        if (!read_ac(&r, unit->ac[i], blocks[i]))
            return false;
    }
    *reader = r;
    return true;
}
