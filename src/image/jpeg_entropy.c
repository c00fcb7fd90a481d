/* Huffman codes of a JPEG of one scan. The stuffing is taken out of a piece of the stream
 * at a time, so that a kernel can load bits eight bytes at a time without a look at them.
 */
#include "image/jpeg_entropy.h"

#if defined(HASTEN_JPEGINT) && defined(LIBJPEG_TURBO_VERSION)

#include "kernels/huffman.h"

#include <stdint.h>
#include <string.h>

#include <jpegint.h> /* the struct of an entropy decoder */

enum {
    PIECE = 8192,
    WORTHWHILE = 32768, /* bytes of a file: less is read before our tables are made */
};

typedef struct entropy {
    struct jpeg_entropy_decoder pub;
    void (*give_up)(j_decompress_ptr);
    hst__huffman_read_fn *read;
    const uint8_t *next, *stop; /**< of the stream: not yet in the piece */
    bool ended;         /**< the piece holds all up to the next marker or the end */
    const uint8_t *end; /**< of what was read; zeros follow where it is the last */
    hst__huffman_reader reader; /**< in the piece */
    hst__huffman_unit unit;
    unsigned restarts_to_go, restart;
    uint8_t piece[PIECE + HST__HUFFMAN_ROOM];
} entropy;

/* ---- stream ------------------------------------------------------------------------ */

/** Moves what is left to the front of the piece and fills it, zeros behind the end. */
static void fill_piece(entropy *e) {
    size_t left = (size_t)(e->end - e->reader.p);
    uint8_t *to = e->piece + left;
    memmove(e->piece, e->reader.p, left);
    e->reader.p = e->piece;
    while (to < e->piece + PIECE && !e->ended) {
        size_t room = (size_t)(e->piece + PIECE - to), n = (size_t)(e->stop - e->next);
        n = n < room ? n : room;
        const uint8_t *mark = memchr(e->next, 0xff, n);
        n = mark ? (size_t)(mark - e->next) : n;
        memcpy(to, e->next, n);
        to += n;
        e->next += n;
        if (mark && e->stop - mark > 1 && mark[1] == 0) {
            *to++ = 0xff;
            e->next += 2;
        } else {
            e->ended = mark || e->next == e->stop;
        }
    }
    e->end = to;
    if (e->ended)
        memset(to, 0, HST__HUFFMAN_ROOM);
}

static void begin_segment(entropy *e) {
    e->ended = false;
    e->end = e->piece;
    e->reader = (hst__huffman_reader){.p = e->piece};
    memset(e->unit.last_dc, 0, sizeof e->unit.last_dc);
    fill_piece(e);
}

/** Bits read beyond the end of the data; negative: bits left. */
static ptrdiff_t excess(const entropy *e) {
    return (e->reader.p - e->end) * 8 - (int)e->reader.n;
}

/** Over the restart marker that must come now. */
static bool next_segment(entropy *e, unsigned interval) {
    if (!e->ended || excess(e) <= -8 || e->stop - e->next < 2 || e->next[0] != 0xff ||
        e->next[1] != JPEG_RST0 + (int)e->restart)
        return false;
    e->next += 2;
    e->restart = (e->restart + 1) & 7;
    e->restarts_to_go = interval - 1;
    begin_segment(e);
    return true;
}

static boolean decode_mcu(j_decompress_ptr jpeg, JBLOCKROW *mcu) {
    entropy *e = (entropy *)jpeg->entropy;
    JBLOCK ignored[HST__HUFFMAN_BLOCKS];
    int16_t *blocks[HST__HUFFMAN_BLOCKS];
    if (jpeg->restart_interval) {
        if (e->restarts_to_go > 0)
            e->restarts_to_go--;
        else if (!next_segment(e, jpeg->restart_interval))
            e->give_up(jpeg);
    }
    for (int i = 0; i < e->unit.blocks; i++)
        blocks[i] = mcu ? *mcu[i] : ignored[i];
    if (!e->ended && e->end - e->reader.p < HST__HUFFMAN_ROOM)
        fill_piece(e);
    if (!e->read(&e->reader, &e->unit, blocks) || excess(e) > 0)
        e->give_up(jpeg);
    return TRUE;
}

static void start_pass(j_decompress_ptr jpeg) { (void)jpeg; }

static const hst__huffman_table *make_table(j_decompress_ptr jpeg, const JHUFF_TBL *from,
                                            bool ac) {
    hst__huffman_table *t =
        (*jpeg->mem->alloc_large)((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof *t);
    return hst__huffman_make(t, from->bits, from->huffval, ac) ? t : NULL;
}

/** False where a table is missing or no code: the library knows what to say. */
static bool make_unit(j_decompress_ptr jpeg, hst__huffman_unit *unit) {
    const hst__huffman_table *dc[NUM_HUFF_TBLS] = {0}, *ac[NUM_HUFF_TBLS] = {0};
    if (jpeg->blocks_in_MCU > HST__HUFFMAN_BLOCKS)
        return false;
    unit->blocks = jpeg->blocks_in_MCU;
    for (int i = 0; i < unit->blocks; i++) {
        const jpeg_component_info *c = jpeg->cur_comp_info[jpeg->MCU_membership[i]];
        int d = c->dc_tbl_no, a = c->ac_tbl_no;
        if (!jpeg->dc_huff_tbl_ptrs[d] || !jpeg->ac_huff_tbl_ptrs[a])
            return false;
        dc[d] = dc[d] ? dc[d] : make_table(jpeg, jpeg->dc_huff_tbl_ptrs[d], false);
        ac[a] = ac[a] ? ac[a] : make_table(jpeg, jpeg->ac_huff_tbl_ptrs[a], true);
        unit->dc[i] = dc[d];
        unit->ac[i] = ac[a];
        unit->component[i] = jpeg->MCU_membership[i];
        if (!dc[d] || !ac[a])
            return false;
    }
    return true;
}

bool hst__jpeg_entropy_replace(j_decompress_ptr jpeg, hst_cpu_level level,
                               void (*give_up)(j_decompress_ptr)) {
    hst__huffman_read_fn *read = hst__huffman_pick(level);
    if (level == HST_CPU_AUTO && jpeg->src->bytes_in_buffer < WORTHWHILE)
        return false;
    if (!read || jpeg->progressive_mode || jpeg->arith_code ||
        jpeg_has_multiple_scans(jpeg) || jpeg->data_precision != 8)
        return false;
    entropy *e =
        (*jpeg->mem->alloc_large)((j_common_ptr)jpeg, JPOOL_IMAGE, sizeof(entropy));
    e->pub.start_pass = start_pass;
    e->pub.decode_mcu = decode_mcu;
    e->pub.insufficient_data = FALSE;
    e->give_up = give_up;
    e->read = read;
    e->next = jpeg->src->next_input_byte;
    e->stop = e->next + jpeg->src->bytes_in_buffer;
    e->restarts_to_go = jpeg->restart_interval;
    e->restart = 0;
    if (!make_unit(jpeg, &e->unit))
        return false;
    begin_segment(e);
    jpeg->entropy = &e->pub;
    return true;
}

#else

bool hst__jpeg_entropy_replace(j_decompress_ptr jpeg, hst_cpu_level level,
                               void (*give_up)(j_decompress_ptr)) {
    (void)jpeg;
    (void)level;
    (void)give_up;
    return false;
}

#endif
