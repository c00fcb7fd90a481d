/* Softmax of rows, masked rows and columns against the definition in double. */
#include <math.h>
#include <string.h>

#include "kcheck.h"
#include "kernels/rows.h"

/* e^(x - max) has the rounding error of the difference as its relative error. */
static const kc_tol plain = {.rel = 4e-6, .abs = 1e-30},
                    logarithmic = {.ulp = 6, .abs = 1e-6};

static float *inputs(kcheck *k, size_t n, float scale) {
    float *x = kc_floats(k, n, KC_UNIT);
    for (size_t i = 0; i < n; i++)
        x[i] *= scale;
    return x;
}

static void check_row(kcheck *k, const hst__rows_f32 *rows, size_t n) {
    static const float scales[] = {1, 30, 1e-3f, 1e30f};
    for (int s = 0; s < 4; s++) {
        for (int logarithm = 0; logarithm < 2; logarithm++) {
            kc_case(k, "n=%zu scale=%g log=%d", n, (double)scales[s], logarithm);
            float *x = inputs(k, n, scales[s]);
            float *want = kc_buffer(k, n * sizeof *want),
                  *y = kc_buffer(k, n * sizeof *y);
            hst__rows_f32__ref.softmax(x, want, n, logarithm);
            rows->softmax(x, y, n, logarithm);
            kc_close_f32(k, y, want, n, logarithm ? logarithmic : plain);
            rows->softmax(x, x, n, logarithm);
            kc_same(k, x, y, n, sizeof *x);
            kc_release(k);
        }
    }
}

static void check_masked(kcheck *k, const hst__rows_f32 *rows, size_t n) {
    for (int with_mask = 0; with_mask < 2; with_mask++) {
        kc_case(k, "masked n=%zu mask=%d", n, with_mask);
        float *x = inputs(k, n, 20), *mask = inputs(k, n, 3);
        for (size_t i = 1; i < n; i++)
            if (kc_one_in(k, 3))
                mask[i] = kc_one_in(k, 2) ? -INFINITY : -10000;
        float *want = kc_buffer(k, n * sizeof *want), *y = kc_buffer(k, n * sizeof *y);
        const float *m = with_mask ? mask : NULL;
        hst__rows_f32__ref.softmax_masked(x, m, 0.125f, want, n);
        rows->softmax_masked(x, m, 0.125f, y, n);
        kc_close_f32(k, y, want, n, plain);
        for (size_t i = 0; with_mask && i < n; i++)
            if (isinf(mask[i]) &&
                !kc_true(k, y[i] == 0, "masked out, yet %g", (double)y[i]))
                break;
        rows->softmax_masked(x, m, 0.125f, x, n);
        kc_same(k, x, y, n, sizeof *x);
        kc_release(k);
    }
}

static void check_columns(kcheck *k, const hst__rows_f32 *rows, size_t n,
                          size_t columns) {
    for (int logarithm = 0; logarithm < 2; logarithm++) {
        size_t cut = (size_t)kc_int(k, 0, (int)columns), total = n * columns;
        kc_case(k, "%zu x %zu columns, cut %zu, log=%d", n, columns, cut, logarithm);
        float *x = inputs(k, total, 10);
        float *want = kc_buffer(k, total * sizeof *want);
        float *y = kc_buffer(k, total * sizeof *y);
        hst__rows_f32__ref.softmax_columns(x, want, n, columns, 0, columns, logarithm);
        rows->softmax_columns(x, y, n, columns, 0, columns, logarithm);
        kc_close_f32(k, y, want, total, logarithm ? logarithmic : plain);
        rows->softmax_columns(x, x, n, columns, 0, cut, logarithm);
        rows->softmax_columns(x, x, n, columns, cut, columns, logarithm);
        kc_same(k, x, y, total, sizeof *x);
        kc_release(k);
    }
}

/* What -Inf, +Inf, NaN and a row of equal values give. */
static void check_specials(kcheck *k, const hst__rows_f32 *rows) {
    static const struct {
        float fill, at_5;
        bool nan;
    } cases[] = {
        {-INFINITY, -INFINITY, true}, {0, INFINITY, true}, {1, NAN, true},
        {-INFINITY, 3, false},        {7, 7, false},       {-3e38f, 3e38f, false}};
    enum { N = 21 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        kc_case(k, "fill %g, one %g", (double)cases[c].fill, (double)cases[c].at_5);
        float *x = kc_buffer(k, N * sizeof *x), *want = kc_buffer(k, N * sizeof *x);
        for (int i = 0; i < N; i++)
            x[i] = i == 5 ? cases[c].at_5 : cases[c].fill;
        hst__rows_f32__ref.softmax(x, want, N, false);
        rows->softmax(x, x, N, false);
        for (int i = 0; i < N; i++)
            if (cases[c].nan)
                kc_true(k, isnan(x[i]), "%g instead of NaN", (double)x[i]);
        if (!cases[c].nan)
            kc_close_f32(k, x, want, N, plain);
        kc_release(k);
    }
}

typedef struct timed {
    const hst__rows_f32 *rows;
    float *x, *y;
    size_t n, count;
} timed;

static void run_rows(void *context) {
    timed *t = context;
    for (size_t i = 0; i < t->count; i++)
        t->rows->softmax(t->x + i * t->n, t->y + i * t->n, t->n, false);
}

static void run_columns(void *context) {
    timed *t = context;
    t->rows->softmax_columns(t->x, t->y, t->n, t->count, 0, t->count, false);
}

static void bench(kcheck *k, const hst__rows_f32 *rows) {
    static const struct {
        const char *name;
        size_t n, count;
    } shapes[] = {
        {"rows 128 x 128", 128, 128}, {"rows 1000", 1000, 8}, {"rows 2", 2, 4420}};
    for (int i = 0; i < 3; i++) {
        size_t total = shapes[i].n * shapes[i].count;
        timed t = {rows, kc_floats(k, total, KC_UNIT),
                   kc_buffer(k, total * sizeof(float)), shapes[i].n, shapes[i].count};
        kc_bench(k, shapes[i].name, (double)total, "elements/ns", run_rows, &t);
        kc_release(k);
    }
    timed t = {rows, kc_floats(k, 16 * 2000, KC_UNIT),
               kc_buffer(k, 16 * 2000 * sizeof(float)), 16, 2000};
    kc_bench(k, "columns 16 x 2000", 16 * 2000, "elements/ns", run_columns, &t);
}

void check_softmax(kcheck *k) {
    const hst__rows_f32 *rows = hst__rows_pick(k->level);
    if (!kc_fresh(k, 0, (kc_fn *)rows->softmax))
        return;
    size_t sizes[KC_SIZES];
    int n_sizes = kc_sizes(k, 16, sizes);
    for (int i = 0; i < n_sizes; i++) {
        check_row(k, rows, sizes[i]);
        check_masked(k, rows, sizes[i]);
        check_columns(k, rows, (size_t)kc_int(k, 1, 20), sizes[i]);
    }
    check_row(k, rows, 30522);
    check_specials(k, rows);
    if (k->bench)
        bench(k, rows);
}
