/* No vectors here, but shifts by any register (BMI2), of which the chain of dependent
 * steps is made: bits, entry, bits. */
#include <string.h>

#include "kernels/huffman.h"

/** At least 56 bits. */
static inline void refill(hst__huffman_reader *r) {
    uint64_t v;
    memcpy(&v, r->p, sizeof v);
    r->bits |= __builtin_bswap64(v) >> r->n;
    r->p += (63 - r->n) >> 3;
    r->n |= 56;
}

static inline void drop(hst__huffman_reader *r, unsigned n) {
    r->bits <<= n & 63;
    r->n -= n & 63;
}

static inline int bits_at(uint64_t bits, unsigned before, unsigned gap) {
    return (int)(bits << (before & 63) >> (gap & 63));
}

static inline bool read_dc(hst__huffman_reader *r, const hst__huffman_table *t,
                           int *last) {
    refill(r);
    const hst__huffman_dc *e = &t->look.dc[r->bits >> (64 - HST__HUFFMAN_DC_LOOK)];
    if (e->total & HST__HUFFMAN_EXIT) {
        hst__huffman_symbol s = hst__huffman_slow(t, r->bits, false);
        *last += hst__huffman_value(r->bits, s);
        drop(r, s.code + s.size);
        return s.code && *last == (int16_t)*last;
    }
    *last += bits_at(r->bits, e->before, e->gap) + e->base;
    drop(r, e->total);
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

/** The rest of a block, symbol by symbol. */
static bool read_slow(hst__huffman_reader *r, const hst__huffman_table *t, unsigned k,
                      int16_t *block) {
    while (k < 63)
        k = read_one(r, t, k, block);
    return k == 63;
}

static inline void put(const hst__huffman_ac *e, uint64_t bits, unsigned k,
                       int16_t *block) {
    int second = bits_at(bits, e->before, e->gap) + e->base;
    block[hst__huffman_order[k + e->step1]] = e->value1;
    block[hst__huffman_order[k + e->step2]] = (int16_t)second;
}

/* Entries are read a byte at a time: loads are cheap here, shifts are not. What ends a
 * block cannot be predicted, so there is one branch for all of it. */
static inline bool read_ac(hst__huffman_reader *r, const hst__huffman_table *t,
                           int16_t *block) {
    int16_t ignored[64];
    unsigned k = 0;
    for (;;) {
        const hst__huffman_ac *e;
        unsigned total, k2;
        refill(r);
#pragma GCC unroll 3
        for (int i = 0; i < HST__HUFFMAN_AT_ONCE; i++) {
            e = &t->look.ac[r->bits >> (64 - HST__HUFFMAN_LOOK)];
            total = e->total;
            k2 = k + e->step2;
            if ((total | (k2 + 65)) & HST__HUFFMAN_EXIT) /* or k2 >= 63 */
                goto ending;
            put(e, r->bits, k, block);
            k = k2;
            drop(r, total);
        }
        continue;
    ending:
        if (total == HST__HUFFMAN_EXIT) {
            k = read_one(r, t, k, block);
            if (k >= 63)
                return k == 63;
            continue;
        }
        if (k2 > 63 || (k2 == 63 && total & HST__HUFFMAN_EXIT))
            return read_slow(r, t, k, block); /* not all of it is of this block */
        bool values = k2 == 63 || total & HST__HUFFMAN_VALUES;
        put(e, r->bits, k, values ? block : ignored);
        drop(r, total);
        return true;
    }
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
