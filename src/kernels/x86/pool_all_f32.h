/* Pooling over all positions; included once by the file of each CPU level. */
#ifndef HST_KERNELS_X86_POOL_ALL_F32_H
#define HST_KERNELS_X86_POOL_ALL_F32_H

#include <math.h>

#include "kernels/x86/pool_f32.h"
#include "kernels/x86/vec_sums.h"

/** One channel: contiguous values. */
static float max_plane(const float *x, size_t n) {
    vf a = v_set(-INFINITY), b = a;
    size_t i = 0;
    for (; i + 2 * VN <= n; i += 2 * VN) {
        a = v_max_nan(v_load(x + i), a);
        b = v_max_nan(v_load(x + i + VN), b);
    }
    for (; i + VN <= n; i += VN)
        a = v_max_nan(v_load(x + i), a);
    if (i < n)
        a = v_max_nan(v_load_part_or(x + i, n - i, a), a);
    a = v_max_nan(a, b);
    return v_bits(v_nan(a, a)) ? NAN : v_largest(a);
}

static void max_all(const float *x, float *y, size_t n, size_t channels) {
    if (channels == 1) {
        *y = max_plane(x, n);
        return;
    }
    taps t = {.x = x, .rows = 1, .columns = n, .column_step = channels};
    join_channels(&t, y, channels, -INFINITY, 1, join_max);
}

enum { BLOCK = 128 };

/** Means of n channels at c in at most `vectors` vectors. Positions are summed in blocks,
 * so that rounding grows with the square root of their number at most. */
V_INLINE void average_strip(const float *x, float *y, size_t positions, size_t channels,
                            size_t n, int vectors) {
    vf total[4];
    for (int v = 0; v < vectors; v++)
        total[v] = v_zero();
    for (size_t i = 0; i < positions;) {
        size_t end = positions - i < BLOCK ? positions : i + BLOCK;
        vf sum[4];
        for (int v = 0; v < vectors; v++)
            sum[v] = v_zero();
        for (; i < end; i++)
            for (int v = 0; v < vectors; v++)
                sum[v] = v_add(sum[v], v_load_part(x + i * channels + v * VN, n));
        for (int v = 0; v < vectors; v++)
            total[v] = v_add(total[v], sum[v]);
    }
    for (int v = 0; v < vectors; v++)
        v_store_part(y + v * VN, n, v_div(total[v], v_set((float)positions)));
}

static void average_all(const float *x, float *y, size_t n, size_t channels) {
    size_t c = 0;
    if (channels == 1) {
        *y = (float)(v_sum_of(x, n) / (double)n);
        return;
    }
    for (; c + 4 * VN <= channels; c += 4 * VN)
        average_strip(x + c, y + c, n, channels, VN, 4);
    for (; c + VN <= channels; c += VN)
        average_strip(x + c, y + c, n, channels, VN, 1);
    if (c < channels)
        average_strip(x + c, y + c, n, channels, channels - c, 1);
}

#endif
