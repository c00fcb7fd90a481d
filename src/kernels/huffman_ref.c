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

static const hst__huffman_symbol none;

/* ---- making the look ----------------------------------------------------------------
 */

enum { LOOK = HST__HUFFMAN_LOOK, DC_LOOK = HST__HUFFMAN_DC_LOOK, SHORT_SIZE = 7 };
_Static_assert(LOOK - 1 + SHORT_SIZE <= 56 / HST__HUFFMAN_AT_ONCE, "three in 56 bits");

/* Whether `bits` bits show the symbol, and the first bit behind it. */
static bool seen(hst__huffman_symbol s, unsigned bits) { return s.code && s.code < bits; }
static bool plain(hst__huffman_symbol s, unsigned bits) {
    return seen(s, bits) && s.size && s.size <= SHORT_SIZE;
}
static bool ends(hst__huffman_symbol s, unsigned bits) {
    return s.code && s.code <= bits && s.size == 0 && s.zeros < 15;
}

/* What makes the value of its bits, the first of which lies behind `before` of `bits`. */
static int base(uint64_t bits, unsigned before, unsigned size) {
    return bits << before >> 63 ? 0 : 1 - (1 << size);
}

/* `bits` begin with those that are looked up, zeros follow. */
static hst__huffman_dc dc_entry(uint64_t bits, hst__huffman_symbol s) {
    unsigned total = s.code + s.size;
    if (!seen(s, DC_LOOK) || total > 56 / HST__HUFFMAN_AT_ONCE)
        return (hst__huffman_dc){.total = HST__HUFFMAN_EXIT};
    if (s.size == 0) /* the first bit of the code, less itself */
        return (hst__huffman_dc){
            .total = s.code, .gap = 63, .base = -(int32_t)(bits >> 63)};
    return (hst__huffman_dc){.total = (uint8_t)total,
                             .before = s.code,
                             .gap = (uint8_t)(64 - s.size),
                             .base = base(bits, s.code, s.size)};
}

/* `one` tells of the first symbol of LOOK bits. */
static hst__huffman_ac ac_entry(uint64_t bits, const hst__huffman_symbol *one) {
    hst__huffman_symbol s = one[bits >> (64 - LOOK)];
    unsigned step = s.zeros + 1u, step1 = step, at = 0, value1 = 0;
    if (ends(s, LOOK))
        return (hst__huffman_ac){.total = (uint8_t)(s.code | HST__HUFFMAN_EXIT)};
    if (!plain(s, LOOK))
        return (hst__huffman_ac){.total = HST__HUFFMAN_EXIT};
    unsigned total = s.code + s.size;
    hst__huffman_symbol next = total < LOOK ? one[bits << total >> (64 - LOOK)] : none;
    if (total < LOOK && plain(next, LOOK - total)) {
        value1 = (unsigned)hst__huffman_value(bits, s);
        step += next.zeros + 1u;
        s = next;
        at = total;
        total += s.code + s.size;
        next = total < LOOK ? one[bits << total >> (64 - LOOK)] : none;
    }
    hst__huffman_ac e = {.step1 = (uint8_t)step1,
                         .step2 = (uint8_t)step,
                         .value1 = (int16_t)value1,
                         .before = (uint8_t)(at + s.code),
                         .gap = (uint8_t)(64 - s.size),
                         .base = (int8_t)base(bits, at + s.code, s.size)};
    if (total < LOOK && ends(next, LOOK - total))
        total = (total + next.code) | HST__HUFFMAN_EXIT | HST__HUFFMAN_VALUES;
    e.total = (uint8_t)total;
    return e;
}

bool hst__huffman_make(hst__huffman_table *table, const uint8_t counts[17],
                       const uint8_t symbols[256], bool ac) {
    hst__huffman_symbol one[1 << LOOK] = {{0}};
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
    for (uint64_t k = 0; ac && k < 1 << LOOK; k++)
        table->look.ac[k] = ac_entry(k << (64 - LOOK), one);
    for (uint64_t k = 0; !ac && k < 1 << DC_LOOK; k++)
        table->look.dc[k] = dc_entry(k << (64 - DC_LOOK), one[k << (LOOK - DC_LOOK)]);
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
