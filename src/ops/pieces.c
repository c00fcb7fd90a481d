#include "ops/pieces.h"

/** A piece shorter than this costs more to hand over than it saves. */
static const double piece_ns = 20000;
enum { PIECES_PER_THREAD = 4 };

hst__pieces hst__pieces_cut(size_t total, double unit_ns, size_t grain, int threads) {
    hst__pieces p = {.total = total, .each = total, .count = total > 0};
    double worth = (double)total * unit_ns / piece_ns;
    double most = threads > 1 ? threads * PIECES_PER_THREAD : 1;
    size_t wanted = (size_t)(worth < most ? worth : most);
    if (wanted < 2)
        return p;
    size_t each = (total + wanted - 1) / wanted;
    p.each = (each + grain - 1) / grain * grain;
    p.count = (int)((total + p.each - 1) / p.each);
    return p;
}
