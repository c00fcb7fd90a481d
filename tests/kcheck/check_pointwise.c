/* Elementwise arithmetic and row reductions against plain loops. */
#include <math.h>

#include "kcheck.h"
#include "kernels/pointwise.h"

typedef struct named {
    const char *name;
    float (*plain)(float a, float b);
    hst__pointwise_binary *binary;
    hst__pointwise_unary *unary;
} named;

#define PLAIN(f, expression)                                                             \
    static float plain_##f(float a, float b) {                                           \
        (void)b;                                                                         \
        return expression;                                                               \
    }
HST__POINTWISE_BINARY_LIST(PLAIN)
#undef PLAIN
#define PLAIN(f, expression)                                                             \
    static float plain_##f(float x, float b) {                                           \
        (void)b;                                                                         \
        return expression;                                                               \
    }
HST__POINTWISE_UNARY_LIST(PLAIN)
#undef PLAIN

static void check_binary(kcheck *k, const named *f, size_t n, size_t sa, size_t sb) {
    kc_case(k, "%s n=%zu strides %zu %zu", f->name, n, sa, sb);
    float *a = kc_floats(k, sa ? n : 1, KC_SPECIAL),
          *b = kc_floats(k, sb ? n : 1, KC_SPECIAL);
    float *y = kc_buffer(k, n * sizeof *y), *want = kc_buffer(k, n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = f->plain(a[i * sa], b[i * sb]);
    f->binary(y, a, b, n, sa, sb);
    kc_close_f32(k, y, want, n, (kc_tol){0});
    if (sa) {
        f->binary(a, a, b, n, sa, sb);
        kc_close_f32(k, a, want, n, (kc_tol){0});
    }
    kc_release(k);
}

static void check_unary(kcheck *k, const named *f, size_t n) {
    kc_case(k, "%s n=%zu", f->name, n);
    float *x = kc_floats(k, n, KC_SPECIAL);
    float *y = kc_buffer(k, n * sizeof *y), *want = kc_buffer(k, n * sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = f->plain(x[i], 0);
    f->unary(y, x, n, NULL);
    kc_close_f32(k, y, want, n, (kc_tol){0});
    f->unary(x, x, n, NULL);
    kc_close_f32(k, x, want, n, (kc_tol){0});
    kc_release(k);
}

static void check_rows(kcheck *k, const hst__pointwise_f32 *p, size_t n) {
    kc_case(k, "rows n=%zu", n);
    float *x = kc_floats(k, n, KC_UNIT), most = -INFINITY;
    double sum = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        size += fabs((double)x[i]);
        most = x[i] > most ? x[i] : most;
    }
    double got = (double)p->sum_row(x, n);
    kc_true(k, fabs(got - sum) <= 5e-6 * size, "sum %.9g, wanted %.9g", got, sum);
    kc_true(k, p->max_row(x, n) == most, "max %g, wanted %g", (double)p->max_row(x, n),
            (double)most);
    if (n > 0) {
        x[(size_t)kc_int(k, 0, (int)n - 1)] = NAN;
        kc_true(k, isnan(p->max_row(x, n)), "NaN was lost");
    }
    kc_release(k);
}

void check_pointwise(kcheck *k) {
    const hst__pointwise_f32 *p = hst__pointwise_pick(k->level);
    if (!p || !kc_fresh(k, 0, (kc_fn *)p->add))
        return;
    const named all[] = {
#define ENTRY(f, expression) {#f, plain_##f, p->f, NULL},
        HST__POINTWISE_BINARY_LIST(ENTRY)
#undef ENTRY
#define ENTRY(f, expression) {#f, plain_##f, NULL, p->f},
            HST__POINTWISE_UNARY_LIST(ENTRY)
#undef ENTRY
    };
    size_t sizes[KC_SIZES];
    int n_sizes = kc_sizes(k, 16, sizes);
    for (int i = 0; i < n_sizes; i++) {
        for (size_t f = 0; f < sizeof all / sizeof *all; f++) {
            if (all[f].unary)
                check_unary(k, &all[f], sizes[i]);
            for (size_t s = 0; all[f].binary && s < 4; s++)
                check_binary(k, &all[f], sizes[i], s & 1, s >> 1);
        }
        check_rows(k, p, sizes[i]);
    }
    check_rows(k, p, 5000);
}
