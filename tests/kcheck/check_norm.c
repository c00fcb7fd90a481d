/* Normalisation of rows against the definition in double. */
#include <math.h>
#include <string.h>

#include "kcheck.h"
#include "kernels/rows.h"

typedef struct variant {
    bool gamma, beta, skip, bias, sum, centre;
} variant;

static const variant variants[] = {
    {true, true, false, false, false, true},   {false, false, false, false, false, true},
    {true, false, false, false, false, false}, {true, true, true, true, true, true},
    {true, true, true, false, false, true},    {true, false, true, false, true, false},
    {false, true, false, true, false, true},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static float *maybe(kcheck *k, bool wanted, size_t n) {
    return wanted ? kc_floats(k, n, KC_UNIT) : NULL;
}

/* mean/std of the row is `offset`, so that naive sums of squares would cancel. */
static void check_row(kcheck *k, const hst__rows_f32 *rows, size_t n, const variant *v,
                      float offset) {
    kc_case(k, "row n=%zu offset=%g gamma=%d beta=%d skip=%d bias=%d sum=%d centre=%d", n,
            (double)offset, v->gamma, v->beta, v->skip, v->bias, v->sum, v->centre);
    float *x = kc_floats(k, n, KC_UNIT);
    for (size_t i = 0; i < n; i++)
        x[i] += offset;
    float stats[4], *y = kc_buffer(k, n * sizeof *y), *want = kc_buffer(k, n * sizeof *y);
    hst__norm_row_args a = {.x = x,
                            .gamma = maybe(k, v->gamma, n),
                            .beta = maybe(k, v->beta, n),
                            .skip = maybe(k, v->skip, n),
                            .bias = maybe(k, v->bias, n),
                            .n = n,
                            .eps = 1e-5f,
                            .centre = v->centre};
    a.y = want;
    a.sum = v->sum ? kc_buffer(k, n * sizeof *y) : NULL;
    a.mean = &stats[0];
    a.inv_std = &stats[1];
    float *want_sum = a.sum;
    hst__rows_f32__ref.norm(&a);
    a.y = y;
    a.sum = v->sum ? kc_buffer(k, n * sizeof *y) : NULL;
    a.mean = &stats[2];
    a.inv_std = &stats[3];
    rows->norm(&a);
    kc_close_f32(k, y, want, n, (kc_tol){.ulp = 4, .abs = 2e-6});
    kc_close_f32(k, stats + 2, stats, 2, (kc_tol){.ulp = 4, .abs = 1e-7});
    if (v->sum)
        kc_same(k, a.sum, want_sum, n, sizeof *y);
    a.y = x; /* in place */
    a.mean = a.inv_std = NULL;
    rows->norm(&a);
    kc_same(k, x, y, n, sizeof *y);
    kc_release(k);
}

typedef struct timed {
    const hst__rows_f32 *rows;
    hst__norm_row_args args;
    size_t count;
} timed;

static void run_timed(void *context) {
    timed *t = context;
    hst__norm_row_args a = t->args;
    for (size_t i = 0; i < t->count; i++, a.x += a.n, a.y += a.n)
        t->rows->norm(&a);
}

static void bench(kcheck *k, const hst__rows_f32 *rows) {
    enum { N = 768, COUNT = 16 };
    timed t = {rows,
               {.x = kc_floats(k, N * COUNT, KC_UNIT),
                .y = kc_buffer(k, N * COUNT * sizeof(float)),
                .gamma = kc_floats(k, N, KC_UNIT),
                .beta = kc_floats(k, N, KC_UNIT),
                .n = N,
                .eps = 1e-5f,
                .centre = true},
               COUNT};
    kc_bench(k, "layer norm 16 x 768", N * COUNT, "elements/ns", run_timed, &t);
}

void check_norm(kcheck *k) {
    const hst__rows_f32 *rows = hst__rows_pick(k->level);
    if (!kc_fresh(k, 0, (kc_fn *)rows->norm))
        return;
    size_t sizes[KC_SIZES];
    int n_sizes = kc_sizes(k, 16, sizes);
    for (int i = 0; i < n_sizes; i++)
        for (int v = 0; v < N_VARIANTS; v++)
            check_row(k, rows, sizes[i], &variants[v], 0);
    for (int v = 0; v < N_VARIANTS; v++) {
        check_row(k, rows, 768, &variants[v], 1000);
        check_row(k, rows, 10001, &variants[v], 0);
    }
    if (k->bench)
        bench(k, rows);
}
