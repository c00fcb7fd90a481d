#include "kernels/huffman.h"

#include <string.h>

const uint8_t hst__huffman_order[64 + 32] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33,
    40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36,
    29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

static hst__huffman_symbol symbol_of(unsigned length, unsigned byte, bool ac) {
    return (hst__huffman_symbol){.code = (uint8_t)length,
                                 .size = byte & 15,
                                 .zeros = (uint8_t)(ac ? byte >> 4 : 0)};
}

hst__huffman_symbol hst__huffman_slow(const hst__huffman_table *table, uint64_t bits,
                                      bool ac) {
    uint32_t code = 0;
    unsigned done = 0;
    for (unsigned length = 1; length <= 16; length++) {
        uint32_t here = (uint32_t)(bits >> (64 - length)) - code;
        if (here < table->counts[length]) {
            return symbol_of(length, table->symbols[done + here], ac);
        }
        code = (code + table->counts[length]) << 1;
        done += table->counts[length];
    }
    return (hst__huffman_symbol){0};
}

/* ---- making the look ----------------------------------------------------------------
 */

enum { LOOK = HST__HUFFMAN_LOOK, SHORT_SIZE = 7 };
_Static_assert(LOOK - 1 + SHORT_SIZE <= 56 / HST__HUFFMAN_AT_ONCE, "three in 56 bits");

/* What one value adds to an entry: where it lies and how it is completed. `bits` are
 * those before it and itself, of LOOK. */
static uint64_t place(unsigned before, unsigned size) {
    return before | (uint64_t)((64 - size) & 63) << 6;
}
static int base(unsigned k, unsigned before, unsigned size) {
    return k >> (LOOK - 1 - before) & 1 ? 0 : 1 - (1 << size);
}

static bool seen(hst__huffman_symbol s, unsigned bits) { return s.code && s.code < bits; }
static bool plain(hst__huffman_symbol s, unsigned bits) {
    return seen(s, bits) && s.size && s.size <= SHORT_SIZE;
}
static bool ends(hst__huffman_symbol s, unsigned bits) {
    return seen(s, bits) && s.size == 0 && s.zeros < 15;
}

static hst__huffman_entry dc_entry(unsigned k, hst__huffman_symbol s) {
    if (!seen(s, LOOK) || s.code + s.size > 56 / HST__HUFFMAN_AT_ONCE)
        return HST__HUFFMAN_SPECIAL;
    if (s.size == 0) /* the first bit of the code, less itself */
        return s.code | place(0, 1) << 8 | (uint64_t)(-(int64_t)(k >> (LOOK - 1))) << 40;
    return (unsigned)(s.code + s.size) | place(s.code, s.size) << 8 |
           (uint64_t)base(k, s.code, s.size) << 40;
}

/* `first` begins k, `second` what lies behind it. */
static hst__huffman_entry ac_entry(unsigned k, hst__huffman_symbol first,
                                   hst__huffman_symbol second) {
    if (ends(first, LOOK))
        return HST__HUFFMAN_SPECIAL | HST__HUFFMAN_END | first.code;
    if (!plain(first, LOOK))
        return HST__HUFFMAN_SPECIAL;
    unsigned total = first.code + first.size, step = 0;
    uint64_t where = place(first.code, first.size);
    int add = base(k, first.code, first.size);
    hst__huffman_entry e =
        where << 8 | (uint64_t)(first.zeros + 1u) << 32 | (uint64_t)(uint8_t)add << 40;
    if (total < LOOK && plain(second, LOOK - total)) {
        where = place(total + second.code, second.size);
        add = base(k, total + second.code, second.size);
        step = second.zeros + 1u;
        total += second.code + second.size;
    } else if (total < LOOK && ends(second, LOOK - total)) {
        e |= HST__HUFFMAN_END;
        total += second.code;
    }
    return e | total | where << 20 | (uint64_t)step << 48 | (uint64_t)(uint8_t)add << 56;
}

bool hst__huffman_make(hst__huffman_table *table, const uint8_t counts[17],
                       const uint8_t symbols[256], bool ac) {
    hst__huffman_symbol one[1 << LOOK] = {0};
    uint32_t code = 0, done = 0;
    memcpy(table->counts, counts, sizeof table->counts);
    memcpy(table->symbols, symbols, sizeof table->symbols);
    for (unsigned length = 1; length <= 16; length++, code <<= 1) {
        if (code + counts[length] > 1u << length || done + counts[length] > 256)
            return false;
        for (unsigned i = 0; i < counts[length]; i++, code++, done++) {
            if (!ac && symbols[done] > 15)
                return false;
            hst__huffman_symbol s = symbol_of(length, symbols[done], ac);
            for (uint32_t k = 0; length <= LOOK && k < 1u << (LOOK - length); k++)
                one[(code << (LOOK - length)) + k] = s;
        }
    }
    for (unsigned k = 0; k < 1 << LOOK; k++) {
        unsigned behind = k << (one[k].code + one[k].size) & ((1 << LOOK) - 1);
        table->look[k] = ac ? ac_entry(k, one[k], one[behind]) : dc_entry(k, one[k]);
    }
    return true;
}

/* ---- the reference: bit by bit ------------------------------------------------------
 */

static unsigned next_bit(hst__huffman_reader *r) {
    if (r->n == 0) {
        r->bits = (uint64_t)*r->p++ << 56;
        r->n = 8;
    }
    unsigned bit = (unsigned)(r->bits >> 63);
    r->bits <<= 1;
    r->n--;
    return bit;
}

static int next_symbol(hst__huffman_reader *r, const hst__huffman_table *table) {
    unsigned code = 0, first = 0, done = 0;
    for (unsigned length = 1; length <= 16; length++) {
        code = code << 1 | next_bit(r);
        if (code - first < table->counts[length])
            return table->symbols[done + code - first];
        done += table->counts[length];
        first = (first + table->counts[length]) << 1;
    }
    return -1;
}

static int next_value(hst__huffman_reader *r, int size) {
    int v = 0;
    for (int i = 0; i < size; i++)
        v = v << 1 | (int)next_bit(r);
    return size && v < 1 << (size - 1) ? v - (1 << size) + 1 : v;
}

static bool read_block(hst__huffman_reader *r, const hst__huffman_table *dc,
                       const hst__huffman_table *ac, int *last_dc, int16_t *block) {
    int symbol = next_symbol(r, dc);
    if (symbol < 0)
        return false;
    *last_dc += next_value(r, symbol);
    if (*last_dc < INT16_MIN || *last_dc > INT16_MAX)
        return false;
    block[0] = (int16_t)*last_dc;
    for (int k = 1; k < 64; k++) {
        symbol = next_symbol(r, ac);
        if (symbol < 0)
            return false;
        int run = symbol >> 4, size = symbol & 15;
        if (size == 0 && run < 15)
            return true;
        k += run;
        if (size && k > 63)
            return false;
        if (size)
            block[hst__huffman_order[k]] = (int16_t)next_value(r, size);
    }
    return true;
}

bool hst__huffman_read__ref(hst__huffman_reader *reader, hst__huffman_unit *unit,
                            int16_t *const *blocks) {
    reader->bits &= reader->n ? ~UINT64_C(0) << (64 - reader->n) : 0;
    for (int i = 0; i < unit->blocks; i++) {
        if (!read_block(reader, unit->dc[i], unit->ac[i],
                        &unit->last_dc[unit->component[i]], blocks[i]))
            return false;
    }
    return true;
}
