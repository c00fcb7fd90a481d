#include <string.h>

#include "kernels/winograd.h"

typedef double lanes __attribute__((vector_size(8 * HST__WINOGRAD_LANES)));

/* out = G times a column of three. */
static void rows_4(const lanes *pa, const lanes *pb, const lanes *pc, lanes out[6]) {
    const lanes a = *pa, b = *pb, c = *pc;
    const double r2 = 1.41421356237309504880;
    lanes s = (a + 0.5 * c) * (-2.0 / 3), d = b * (-r2 / 3);
    lanes t = (a + 2.0 * c) * (1.0 / 6), e = b * (r2 / 6);
    out[0] = a;
    out[1] = s + d;
    out[2] = s - d;
    out[3] = t + e;
    out[4] = t - e;
    out[5] = c;
}

static void rows_2(const lanes *pa, const lanes *pb, const lanes *pc, lanes out[6]) {
    const lanes a = *pa, b = *pb, c = *pc;
    lanes s = 0.5 * (a + c), d = 0.5 * b;
    out[0] = a;
    out[1] = s + d;
    out[2] = s - d;
    out[3] = c;
}

void hst__winograd_weights(size_t m, double g[9][HST__WINOGRAD_LANES],
                           float u[][HST__WINOGRAD_LANES]) {
    void (*rows)(const lanes *, const lanes *, const lanes *, lanes *) =
        m == 4 ? rows_4 : rows_2;
    size_t n = m + 2;
    lanes v[9], half[3][6], row[6];
    memcpy(v, g, sizeof v);
    for (int j = 0; j < 3; j++)
        rows(&v[j], &v[3 + j], &v[6 + j], half[j]);
    for (size_t i = 0; i < n; i++) {
        rows(&half[0][i], &half[1][i], &half[2][i], row);
        for (size_t j = 0; j < n; j++)
            for (int l = 0; l < HST__WINOGRAD_LANES; l++)
                u[i * n + j][l] = (float)row[j][l];
    }
}
