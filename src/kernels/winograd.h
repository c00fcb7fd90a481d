/* Winograd's minimal filtering F(m x m, 3 x 3) in f32: m x m outputs of a 3 x 3 window of
 * stride 1 from n = m + 2 inputs a side with n^2 products a channel instead of 9 m^2:
 *
 *     y = A^T [(G g G^T) . (B^T d B)] A
 *
 * (Lavin and Gray 2016). The points of interpolation are 0, +-1, inf for m = 2 and
 * 0, +-sqrt(1/2), +-sqrt(2), inf for m = 4: with a^2 b^2 = 1 the matrices stay near 1 in
 * size and the error is a third of that of 0, +-1, +-2, inf. The products, summed over
 * channels, are n^2 matrix products; the rest is here. */
#ifndef HST_KERNELS_WINOGRAD_H
#define HST_KERNELS_WINOGRAD_H

#include <stddef.h>

#include "hasten/cpu.h"
#include "kernels/epilogue.h"

enum { HST__WINOGRAD_N_MAX = 6, HST__WINOGRAD_M_MAX = 4 };

/** v[i * step + c] = (B^T d B)[i] for each channel c; d is pixel[n * n], each [channels].
 */
typedef void hst__winograd_in(const float *const *pixel, size_t channels, float *v,
                              size_t step);

/** pixel[i][c] = act(alpha * (A^T p A)[i] + bias[c] + addend[i][c]), where p is
 * product[j * step + c], j < n * n. A pixel that is NULL is outside the image. */
typedef struct hst__winograd_out_args {
    const float *product;
    size_t step, channels;
    float *const *pixel;        /**< [m * m] */
    const float *const *addend; /**< [m * m], or NULL */
    const float *bias;          /**< or NULL */
    float alpha;
    hst__act act; /**< a kind that is applied in registers */
} hst__winograd_out_args;
typedef void hst__winograd_out(const hst__winograd_out_args *a);

/** A row of the kernel table. */
typedef struct hst__winograd_f32 {
    size_t m, n;
    hst__winograd_in *in;
    hst__winograd_out *out;
} hst__winograd_f32;

/** The transforms for m = 2 or 4 at a level (AUTO: of this machine); never NULL. */
const hst__winograd_f32 *hst__winograd_pick(size_t m, hst_cpu_level level);
extern const hst__winograd_f32 hst__winograd_f32__ref[2];
#if defined(__x86_64__)
extern const hst__winograd_f32 hst__winograd_f32__avx2[2], hst__winograd_f32__avx512[2];
#endif

enum { HST__WINOGRAD_LANES = 8 };
/** u[i][l] = (G g G^T)[i] of 8 windows at once, computed in double. g[t][l] is value t of
 * window l. */
void hst__winograd_weights(size_t m, double g[9][HST__WINOGRAD_LANES],
                           float u[][HST__WINOGRAD_LANES]);

#endif
