#include "kernels/epilogue_ref.h"
#include "kernels/winograd.h"

#define R2 1.41421356237309504880 /* sqrt(2); its half is sqrt(1/2) */

typedef struct matrices {
    double bt[HST__WINOGRAD_N_MAX][HST__WINOGRAD_N_MAX];
    double at[HST__WINOGRAD_M_MAX][HST__WINOGRAD_N_MAX];
} matrices;

static const matrices of_2 = {
    .bt = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, -1, 0, 1}},
    .at = {{1, 1, 1, 0}, {0, 1, -1, 1}},
};

static const matrices of_4 = {
    .bt = {{1, 0, -2.5, 0, 1, 0},
           {0, -R2, -2, R2 / 2, 1, 0},
           {0, R2, -2, -R2 / 2, 1, 0},
           {0, -R2 / 2, -0.5, R2, 1, 0},
           {0, R2 / 2, -0.5, -R2, 1, 0},
           {0, 1, 0, -2.5, 0, 1}},
    .at = {{1, 1, 1, 1, 1, 0},
           {0, R2 / 2, -R2 / 2, R2, -R2, 0},
           {0, 0.5, 0.5, 2, 2, 0},
           {0, R2 / 4, -R2 / 4, 2 * R2, -2 * R2, 1}},
};

static void transform_in(size_t m, const float *const *pixel, size_t channels, float *v,
                         size_t step) {
    const matrices *w = m == 4 ? &of_4 : &of_2;
    size_t n = m + 2;
    for (size_t c = 0; c < channels; c++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double sum = 0;
                for (size_t p = 0; p < n; p++)
                    for (size_t q = 0; q < n; q++)
                        sum += w->bt[i][p] * w->bt[j][q] * (double)pixel[p * n + q][c];
                v[(i * n + j) * step + c] = (float)sum;
            }
}

static void transform_out(size_t m, const hst__winograd_out_args *a) {
    const matrices *w = m == 4 ? &of_4 : &of_2;
    size_t n = m + 2;
    for (size_t c = 0; c < a->channels; c++)
        for (size_t i = 0; i < m * m; i++) {
            double sum = 0;
            if (!a->pixel[i])
                continue;
            for (size_t p = 0; p < n; p++)
                for (size_t q = 0; q < n; q++)
                    sum += w->at[i / m][p] * w->at[i % m][q] *
                           (double)a->product[(p * n + q) * a->step + c];
            float y = a->alpha * (float)sum + (a->bias ? a->bias[c] : 0);
            if (a->addend)
                y += a->addend[i][c];
            a->pixel[i][c] = hst__act_apply__ref(y, &a->act);
        }
}

static void in_2(const float *const *pixel, size_t channels, float *v, size_t step) {
    transform_in(2, pixel, channels, v, step);
}
static void in_4(const float *const *pixel, size_t channels, float *v, size_t step) {
    transform_in(4, pixel, channels, v, step);
}
static void out_2(const hst__winograd_out_args *a) { transform_out(2, a); }
static void out_4(const hst__winograd_out_args *a) { transform_out(4, a); }

const hst__winograd_f32 hst__winograd_f32__ref[2] = {{2, 4, in_2, out_2},
                                                     {4, 6, in_4, out_4}};
