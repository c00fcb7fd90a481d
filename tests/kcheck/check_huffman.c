/* Blocks of Huffman codes: whole streams, and noise, must read as the reference reads
 * them, to the same place. */
#include <string.h>

#include "kcheck.h"
#include "kernels/huffman.h"

enum { STREAM = 1 << 16 };

typedef struct code {
    uint8_t counts[17], symbols[256];
} code;

/** A random code that leaves no room, or some. DC symbols are 0 to 15, mostly to 8, so
 * that sums of differences stay within 16 bits for long. */
static void random_code(kcheck *k, code *c, bool ac) {
    uint8_t all[256];
    unsigned most = ac ? 256 : kc_one_in(k, 6) ? 16 : 9, left = 1, used = 0;
    *c = (code){0};
    for (unsigned i = 0; i < most; i++)
        all[i] = (uint8_t)i;
    for (unsigned i = most - 1; i > 0; i--) {
        unsigned j = (unsigned)kc_int(k, 0, (int)i);
        uint8_t t = all[i];
        all[i] = all[j];
        all[j] = t;
    }
    if (ac && kc_one_in(k, 2)) { /* as in photographs: the end and ones come often */
        static const uint8_t often[] = {0x01, 0x00, 0x02, 0x11, 0x03, 0x21, 0xf0};
        memcpy(all, often, sizeof often);
    }
    for (unsigned length = 1; length <= 16; length++) {
        left <<= 1;
        unsigned room = left < most - used ? left : most - used;
        unsigned n = length == 16 ? room : (unsigned)kc_int(k, 0, (int)room / 2);
        n = kc_one_in(k, 4) || n > 255 ? 0 : n;
        c->counts[length] = (uint8_t)n;
        left -= n;
        used += n;
    }
    memcpy(c->symbols, all, most);
    if (used == 0)
        c->counts[1] = 1;
}

/** Writes from the top of each byte. */
typedef struct writer {
    uint8_t *to;
    size_t bits;
} writer;

static void put(writer *w, unsigned value, unsigned n) {
    for (; n > 0 && w->bits < 8 * STREAM; n--, w->bits++)
        w->to[w->bits / 8] |= (uint8_t)((value >> (n - 1) & 1) << (7 - w->bits % 8));
}

/** A random symbol of the code, short ones more often; returns it. */
static unsigned put_symbol(kcheck *k, writer *w, const code *c) {
    for (;;) {
        unsigned first = 0, done = 0;
        for (unsigned length = 1; length <= 16; length++, first <<= 1) {
            unsigned n = c->counts[length];
            if (n && kc_one_in(k, 3)) {
                unsigned i = (unsigned)kc_int(k, 0, (int)n - 1);
                put(w, first + i, length);
                return c->symbols[done + i];
            }
            first += n;
            done += n;
        }
    }
}

/** Blocks without end, most of them right. */
static void fill_stream(kcheck *k, writer *w, const code *dc, const code *ac) {
    while (w->bits < 8 * STREAM - 4096) {
        unsigned size = put_symbol(k, w, dc);
        put(w, (unsigned)kc_random(k), size);
        for (unsigned n = 0; n < 63;) {
            writer before = *w;
            unsigned symbol = put_symbol(k, w, ac);
            size = symbol & 15;
            if (size && n + (symbol >> 4) + 1 > 63 && !kc_one_in(k, 50)) {
                /* No place for it: take it back. */
                for (size_t i = before.bits; i < w->bits; i++)
                    w->to[i / 8] &= (uint8_t) ~(1u << (7 - i % 8));
                *w = before;
                if (kc_one_in(k, 100))
                    break;
                continue;
            }
            put(w, (unsigned)kc_random(k), size);
            if (size == 0 && symbol < 0xf0)
                break;
            n += (symbol >> 4) + 1;
        }
    }
}

static ptrdiff_t place(const hst__huffman_reader *r, const uint8_t *stream) {
    return (r->p - stream) * 8 - (int)r->n;
}

typedef struct side {
    hst__huffman_read_fn *fn;
    hst__huffman_reader reader;
    hst__huffman_unit unit;
    int16_t blocks[HST__HUFFMAN_BLOCKS][64];
} side;

static bool read_unit(side *s) {
    int16_t *blocks[HST__HUFFMAN_BLOCKS];
    for (int i = 0; i < HST__HUFFMAN_BLOCKS; i++)
        blocks[i] = s->blocks[i];
    memset(s->blocks, 0, sizeof s->blocks);
    return s->fn(&s->reader, &s->unit, blocks);
}

/** Both read until one of them stops, or the stream's end is near. */
static int compare(kcheck *k, side *got, side *want, const uint8_t *stream) {
    int units = 0;
    while (want->reader.p < stream + STREAM) {
        bool wanted = read_unit(want), good = read_unit(got);
        if (!kc_true(k, good == wanted, "unit %d: %d, not %d", units, good, wanted) ||
            !wanted)
            break;
        size_t n = (size_t)want->unit.blocks * 64;
        ptrdiff_t at = place(&got->reader, stream), right = place(&want->reader, stream);
        if (!kc_same(k, got->blocks, want->blocks, n, 2) ||
            !kc_same_s32(k, got->unit.last_dc, want->unit.last_dc, 4) ||
            !kc_true(k, at == right, "unit %d ends at bit %td, not %td", units, at,
                     right))
            break;
        units++;
    }
    return units;
}

static void check_streams(kcheck *k, hst__huffman_read_fn *fn, bool noise) {
    uint8_t *stream = kc_buffer(k, STREAM + HST__HUFFMAN_ROOM);
    hst__huffman_table *tables = kc_buffer_aligned(k, 4 * sizeof *tables, 8);
    code codes[4];
    for (int i = 0; i < 4; i++) { /* two for DC, two for AC */
        random_code(k, &codes[i], i >= 2);
        kc_true(k,
                hst__huffman_make(&tables[i], codes[i].counts, codes[i].symbols, i >= 2),
                "a code that is one");
    }
    side got = {.fn = fn, .reader = {.p = stream}};
    got.unit.blocks = kc_int(k, 1, HST__HUFFMAN_BLOCKS);
    for (int i = 0; i < got.unit.blocks; i++) {
        int pair = noise ? kc_int(k, 0, 1) : 0;
        got.unit.dc[i] = &tables[pair];
        got.unit.ac[i] = &tables[2 + pair];
        got.unit.component[i] = kc_int(k, 0, 3);
    }
    memset(stream, 0, STREAM + HST__HUFFMAN_ROOM);
    writer w = {.to = stream};
    if (noise)
        kc_fill_bytes(k, stream, STREAM);
    else
        fill_stream(k, &w, &codes[0], &codes[2]);
    side want = got;
    want.fn = hst__huffman_read__ref;
    kc_case(k, "%s, units of %d", noise ? "noise" : "a stream", got.unit.blocks);
    compare(k, &got, &want, stream);
    kc_release(k);
}

/** Codes that are none. */
static void check_tables(kcheck *k) {
    hst__huffman_table *t = kc_buffer_aligned(k, sizeof *t, 8);
    uint8_t counts[17] = {0, 3}, symbols[256] = {16};
    kc_case(k, "tables");
    kc_true(k, !hst__huffman_make(t, counts, symbols, true), "three codes of one bit");
    memset(counts, 0, sizeof counts);
    counts[9] = 255;
    counts[16] = 2;
    kc_true(k, !hst__huffman_make(t, counts, symbols, true), "257 symbols");
    memset(counts, 0, sizeof counts);
    counts[2] = 1;
    kc_true(k, !hst__huffman_make(t, counts, symbols, false), "a DC of 16 bits");
    kc_true(k, hst__huffman_make(t, counts, symbols, true), "the same for AC");
    kc_release(k);
}

void check_huffman(kcheck *k) {
    hst__huffman_read_fn *fn = hst__huffman_pick(k->level);
    if (!fn || !kc_fresh(k, 0, (kc_fn *)fn))
        return;
    check_tables(k);
    for (int i = 0; i < (k->thorough ? 2000 : 150); i++)
        check_streams(k, fn, i % 3 == 2);
}
