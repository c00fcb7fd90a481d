/* Two and four taps in 11-bit fixed point, downwards. Included once by the file of each
 * CPU level. */
#ifndef HST_KERNELS_X86_RESIZE_SHORT_H
#define HST_KERNELS_X86_RESIZE_SHORT_H

#include "kernels/resize.h"
#include "kernels/x86/lanes.h"

L_INLINE vl linear_column(const int16_t *a, const int16_t *b, vl wa, vl wb) {
    vl sum = l_add16(l_mulhi16(l_load(a), wa), l_mulhi16(l_load(b), wb));
    return l_shr16(l_add16(sum, l_set16(2)), 2);
}

/** LBYTES outputs, in order. */
L_INLINE vl linear_columns(const int16_t *const rows[2], size_t i, vl wa, vl wb) {
    enum { HALF = LBYTES / 2 };
    vl low = linear_column(rows[0] + i, rows[1] + i, wa, wb);
    vl high = linear_column(rows[0] + i + HALF, rows[1] + i + HALF, wa, wb);
    return l_order64(l_pack16(low, high));
}

static void linear_v(const int16_t *const rows[2], uint8_t *dst, size_t n,
                     const int16_t weight[2]) {
    vl wa = l_set16(weight[0]), wb = l_set16(weight[1]);
    if (n < LBYTES) {
        hst__resize_linear_v__ref(rows, dst, n, weight);
        return;
    }
    size_t i = 0;
    for (; i + LBYTES <= n; i += LBYTES)
        l_store(dst + i, linear_columns(rows, i, wa, wb));
    if (i < n) {
        i = n - LBYTES;
        l_store(dst + i, linear_columns(rows, i, wa, wb));
    }
}

/* ---- cubic ------------------------------------------------------------------------ */

/** LBYTES / 4 outputs, before packing. */
L_INLINE vl cubic_column(const int32_t *const rows[4], size_t i, const vl w[4]) {
    vl sum = l_set32(1 << (2 * HST__RESIZE_SHORT_BITS - 1));
    for (int k = 0; k < 4; k++)
        sum = l_add32(sum, l_mul32(l_load(rows[k] + i), w[k]));
    return l_shr32(sum, 2 * HST__RESIZE_SHORT_BITS);
}

L_INLINE vl cubic_columns(const int32_t *const rows[4], size_t i, const vl w[4]) {
    enum { QUARTER = LBYTES / 4 };
    vl v[4];
    for (size_t k = 0; k < 4; k++)
        v[k] = cubic_column(rows, i + k * QUARTER, w);
    return l_order32(l_pack16(l_pack32(v[0], v[1]), l_pack32(v[2], v[3])));
}

static void cubic_v(const int32_t *const rows[4], uint8_t *dst, size_t n,
                    const int16_t weight[4]) {
    const vl w[4] = {l_set32(weight[0]), l_set32(weight[1]), l_set32(weight[2]),
                     l_set32(weight[3])};
    if (n < LBYTES) {
        hst__resize_cubic_v__ref(rows, dst, n, weight);
        return;
    }
    size_t i = 0;
    for (; i + LBYTES <= n; i += LBYTES)
        l_store(dst + i, cubic_columns(rows, i, w));
    if (i < n) {
        i = n - LBYTES;
        l_store(dst + i, cubic_columns(rows, i, w));
    }
}

#endif
