/* Activations on rows, against their definition in double: over the whole range of f32,
 * at special values, in odd sizes, with and without subnormals flushed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kcheck.h"
#include "kernels/vmath.h"

/* What vmath.h promises. */
static const kc_tol promise = {.ulp = 4, .abs = 2e-7};

static const hst__act cases[] = {
    {HST__ACT_NONE, 0, 0},
    {HST__ACT_RELU, 0, 0},
    {HST__ACT_CLIP, 0, 6},
    {HST__ACT_CLIP, -INFINITY, 0.25f},
    {HST__ACT_LEAKY_RELU, 0.01f, 0},
    {HST__ACT_SIGMOID, 0, 0},
    {HST__ACT_SILU, 1, 0},
    {HST__ACT_SILU, 1.702f, 0},
    {HST__ACT_HARDSIGMOID, 0.2f, 0.5f},
    {HST__ACT_HARDSWISH, 1.0f / 6, 0.5f},
    {HST__ACT_TANH, 0, 0},
    {HST__ACT_GELU, 0, 0},
    {HST__ACT_GELU_TANH, 0, 0},
    {HST__ACT_MISH, 0, 0},
    {HST__ACT_ELU, 1, 0},
    {HST__ACT_ELU, 0.5f, 0},
    {HST__ACT_SOFTPLUS, 0, 0},
    {HST__ACT_SELU, 1.67326319f, 1.05070102f},
    {HST__ACT_SOFTSIGN, 0, 0},
    {HST__ACT_ERF, 0, 0},
    {HST__ACT_EXP, 0, 0},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static void check_row(kcheck *k, const hst__act *act, const float *x, size_t n) {
    hst__act_row *row = hst__act_select(act, k->level);
    float *y = kc_buffer(k, n * sizeof *y);
    double *want = kc_buffer_aligned(k, n * sizeof *want, sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = hst__act_value((double)x[i], act);
    memcpy(y, x, n * sizeof *y);
    row(y, n, act);
    size_t failed = 0;
    /* One at a time first, to name the input. */
    for (size_t i = 0; i < n && !failed; i++) {
        double error = fabs((double)y[i] - want[i]);
        bool alike = kc_ulp(y[i], want[i]) <= promise.ulp || error <= promise.abs;
        failed += !alike && !(k->level == HST_CPU_REF && error <= promise.abs);
        if (failed)
            kc_true(k, false, "x = %.9g (%a): got %.9g, wanted %.9g, %.1f ulp",
                    (double)x[i], (double)x[i], (double)y[i], want[i],
                    kc_ulp(y[i], want[i]));
    }
    kc_true(k, !failed, "within the promise");
}

static void check_range(kcheck *k, const hst__act *act) {
    size_t n = k->thorough ? 200000 : 6000;
    kc_case(k, "%s a=%g b=%g", hst__act_text(act->kind), (double)act->a, (double)act->b);
    float *x = kc_floats(k, n, KC_WIDE);
    for (size_t i = 0; i < n; i++) {
        if (i % 3 == 1)
            x[i] = (float)kc_real(k, -110, 110);
        if (i % 3 == 2)
            x[i] = (float)kc_real(k, -5, 5);
    }
    check_row(k, act, x, n);
    kc_release(k);
}

static void check_specials(kcheck *k, const hst__act *act, bool flush) {
    static const float special[] = {
        NAN,       -NAN,    INFINITY, -INFINITY, 0.0f,   -0.0f,  0x1p-149f, -0x1p-149f,
        0x1p-126f, 3.4e38f, -3.4e38f, 88.72f,    88.73f, 89.0f,  -87.3f,    -87.4f,
        -103.9f,   -104.1f, -150.0f,  0.63f,     0.64f,  0.975f, -0.975f,   4.1f,
        4.2f,      20.0f,   20.1f,    -0.34f,    -0.35f, 16.6f,  -16.6f,    -17.4f,
        9.0f,      -9.0f,   -3.0f,    3.0f,      1e-4f,  -1e-4f, -88.8f};
    enum { N = sizeof special / sizeof *special };
    kc_case(k, "%s a=%g b=%g, special values, flush %d", hst__act_text(act->kind),
            (double)act->a, (double)act->b, flush);
    kc_flush(k, flush);
    float *x = kc_buffer(k, sizeof special);
    memcpy(x, special, sizeof special);
    check_row(k, act, x, N);
    kc_flush(k, false);
    kc_release(k);
}

/* Any cutting of a row gives the same bits. */
static void check_sizes(kcheck *k, const hst__act *act) {
    size_t sizes[KC_SIZES];
    int n_sizes = kc_sizes(k, 16, sizes);
    for (int s = 0; s < n_sizes; s++) {
        size_t n = sizes[s], cut = (size_t)kc_int(k, 0, (int)n);
        kc_case(k, "%s n=%zu cut=%zu", hst__act_text(act->kind), n, cut);
        hst__act_row *row = hst__act_select(act, k->level);
        float *whole = kc_floats(k, n, KC_SPECIAL);
        float *parts = kc_buffer(k, n * sizeof *parts);
        memcpy(parts, whole, n * sizeof *parts);
        row(whole, n, act);
        row(parts, cut, act);
        row(parts + cut, n - cut, act);
        kc_same(k, parts, whole, n, sizeof *parts);
        kc_release(k);
    }
}

typedef struct timed {
    float *x, *y;
    size_t n;
    const hst__act *act;
    hst__act_row *row;
} timed;

static void run_timed(void *context) {
    timed *t = context;
    memcpy(t->y, t->x, t->n * sizeof *t->y);
    t->row(t->y, t->n, t->act);
}

static void bench(kcheck *k, const hst__act *act) {
    enum { N = 1024 };
    timed t = {.x = kc_floats(k, N, KC_UNIT),
               .y = kc_buffer_aligned(k, N * sizeof(float), 64),
               .n = N,
               .act = act,
               .row = hst__act_select(act, k->level)};
    kc_bench(k, hst__act_text(act->kind), N, "elements/ns", run_timed, &t);
    kc_release(k);
}

void check_vmath(kcheck *k) {
    for (int i = 0; i < N_CASES; i++) {
        const hst__act *act = &cases[i];
        if (!kc_fresh(k, i, (kc_fn *)hst__act_select(act, k->level)))
            continue;
        check_range(k, act);
        check_specials(k, act, false);
        check_specials(k, act, true);
        check_sizes(k, act);
        if (k->bench)
            bench(k, act);
    }
}
