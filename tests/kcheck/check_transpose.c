/* Transposition against the plain loop, in dense and strided matrices. */
#include <string.h>

#include "kcheck.h"
#include "kernels/transpose.h"

static void check_one(kcheck *k, hst__transpose_u32 *fn, size_t rows, size_t columns,
                      size_t gap) {
    size_t sf = 4 * (rows + gap), st = 4 * (columns + gap);
    kc_case(k, "%zux%zu gap %zu", rows, columns, gap);
    char *from = kc_buffer(k, columns ? (columns - 1) * sf + 4 * rows : 0);
    size_t bytes = rows ? (rows - 1) * st + 4 * columns : 0;
    char *got = kc_buffer(k, bytes), *want = kc_buffer(k, bytes);
    kc_fill_bytes(k, from, columns ? (columns - 1) * sf + 4 * rows : 0);
    memset(got, 7, bytes);
    memset(want, 7, bytes);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            memcpy(want + r * st + 4 * c, from + 4 * r + c * sf, 4);
    fn(got, from, rows, columns, (ptrdiff_t)st, (ptrdiff_t)sf);
    kc_same(k, got, want, bytes / 4, 4);
    kc_release(k);
}

void check_transpose(kcheck *k) {
    hst__transpose_u32 *fn = hst__transpose_pick(k->level);
    size_t sizes[KC_SIZES];
    if (!fn || !kc_fresh(k, 0, (kc_fn *)fn))
        return;
    int n = kc_sizes(k, 8, sizes);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (size_t gap = 0; gap < 4; gap += 3)
                check_one(k, fn, sizes[i], sizes[j], gap);
}
