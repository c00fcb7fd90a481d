/* gemm_f32: packing, every tile size, epilogues, splits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kcheck.h"
#include "kernels/gemm.h"

typedef struct shape {
    size_t m, n, k;
    bool a_transposed, b_transposed;
    size_t lda, ldc;
} shape;

/* One product with all its buffers. */
typedef struct product {
    shape s;
    hst__gemm_f32_plan plan;
    hst__epilogue epilogue;
    const float *a, *b, *scale;
    float *packed, *c;
    void *scratch;
    size_t c_floats;
} product;

static double a_at(const product *p, size_t i, size_t k) {
    return (double)p->a[p->s.a_transposed ? k * p->s.lda + i : i * p->s.lda + k];
}

static double b_at(const product *p, size_t k, size_t j) {
    float v;
    size_t at = p->s.b_transposed ? j * p->s.k + k : k * p->s.n + j;
    memcpy(&v, (const char *)p->b + at * sizeof v, sizeof v);
    return (double)v * (p->scale ? (double)p->scale[j] : 1);
}

/* Stands for the kinds that are not applied in registers; exact, so that it adds no error
 * of its own. */
static void halve(float *y, size_t n, const hst__act *act) {
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] / 2 + act->b;
}

static double activate(double x, const hst__act *act) {
    switch (act->kind) {
    case HST__ACT_NONE:
        return x;
    case HST__ACT_RELU:
        return x < 0 ? 0 : x;
    case HST__ACT_CLIP:
        x = x < (double)act->a ? (double)act->a : x;
        return x > (double)act->b ? (double)act->b : x;
    case HST__ACT_LEAKY_RELU:
        return x < 0 ? x * (double)act->a : x;
    default:
        return x / 2 + (double)act->b;
    }
}

static hst__act random_act(kcheck *k) {
    static const hst__act acts[] = {{HST__ACT_NONE, 0, 0},
                                    {HST__ACT_RELU, 0, 0},
                                    {HST__ACT_CLIP, -0.5f, 0.75f},
                                    {HST__ACT_LEAKY_RELU, 0.125f, 0},
                                    {HST__ACT_SILU, 1, 0.25f}};
    return acts[kc_int(k, 0, 4)];
}

static void prepare(kcheck *k, product *p, shape s, bool plain) {
    *p = (product){.s = s, .epilogue = HST__EPILOGUE_NONE};
    kc_true(k,
            hst__gemm_f32_plan_init(&p->plan, k->level, s.m, s.n, s.k, s.a_transposed,
                                    s.lda, s.ldc),
            "plan");
    size_t a_rows = s.a_transposed ? s.k : s.m, a_cols = s.a_transposed ? s.m : s.k;
    size_t a_floats = a_rows && a_cols ? (a_rows - 1) * s.lda + a_cols : 0;
    p->a = kc_floats(k, a_floats, KC_UNIT);
    /* B as it lies in a file: at any address. */
    char *b = kc_buffer(k, s.k * s.n * sizeof(float) + 1);
    kc_fill_f32(k, (float *)(void *)b, s.k * s.n, KC_UNIT);
    p->b = (const float *)(const void *)b;
    p->packed = kc_buffer_aligned(k, p->plan.packed_bytes, 64);
    p->scratch = kc_buffer_aligned(k, p->plan.scratch_bytes, 64);
    p->c_floats = (s.m - 1) * s.ldc + s.n;
    p->c = kc_buffer(k, p->c_floats * sizeof(float));
    if (plain)
        return;
    hst__epilogue *e = &p->epilogue;
    if (kc_one_in(k, 2))
        p->scale = kc_floats(k, s.n, KC_UNIT);
    if (kc_one_in(k, 2))
        e->bias = kc_floats(k, s.n, KC_UNIT);
    if (kc_one_in(k, 3))
        e->alpha = (float)kc_real(k, -2, 2);
    if (kc_one_in(k, 2)) {
        e->ldd = s.n + (size_t)kc_int(k, 0, 3);
        e->addend = kc_floats(k, (s.m - 1) * e->ldd + s.n, KC_UNIT);
    }
    e->act = random_act(k);
    e->row = halve;
}

static void pack(product *p) {
    hst__gemm_f32_b b = {
        .data = p->b, .k_stride = p->s.n, .n_stride = 1, .scale = p->scale};
    if (p->s.b_transposed) {
        b.k_stride = 1;
        b.n_stride = p->s.k;
    }
    size_t cut = p->plan.n_panels / 2;
    hst__gemm_f32_pack(&p->plan, &b, p->packed, cut, p->plan.n_panels);
    hst__gemm_f32_pack(&p->plan, &b, p->packed, 0, cut);
}

/* The whole grid in rectangles of at most rows x panels tiles, the last first. */
static void run(product *p, float *c, size_t rows, size_t panels) {
    const hst__gemm_f32_plan *plan = &p->plan;
    hst__gemm_f32_args args = {p->a, p->packed, c, &p->epilogue, p->scratch};
    for (size_t j = plan->n_panels; j > 0;) {
        size_t j0 = j > panels ? j - panels : 0;
        for (size_t i = plan->m_tiles; i > 0;) {
            size_t i0 = i > rows ? i - rows : 0;
            hst__gemm_f32_run(plan, &args, &(hst__tiles){i0, i, j0, j});
            i = i0;
        }
        j = j0;
    }
}

/* Expected values and the bound of rounding errors: one for each product and addition of
 * the sum, and a few for the epilogue. */
static void expect(const product *p, double *want, double *bound) {
    const hst__epilogue *e = &p->epilogue;
    const shape *s = &p->s;
    for (size_t i = 0; i < s->m; i++) {
        for (size_t j = 0; j < s->n; j++) {
            double sum = 0, size = 0;
            for (size_t k = 0; k < s->k; k++) {
                double term = a_at(p, i, k) * b_at(p, k, j);
                sum += term;
                size += fabs(term);
            }
            sum *= (double)e->alpha;
            size *= fabs((double)e->alpha);
            double bias = e->bias ? (double)e->bias[j] : 0;
            double addend = e->addend ? (double)e->addend[i * e->ldd + j] : 0;
            size += fabs(bias) + fabs(addend);
            want[i * s->n + j] = activate(sum + bias + addend, &e->act);
            bound[i * s->n + j] = ((double)s->k + 6) * 0x1p-24 * size + 0x1p-24;
            if (isnan(size) || isinf(size))
                bound[i * s->n + j] = 0;
        }
    }
}

/* What lies between the rows of c must stay. */
static bool gaps_kept(const product *p, const float *before) {
    for (size_t i = 0; i + 1 < p->s.m; i++) {
        size_t gap = i * p->s.ldc + p->s.n;
        if (memcmp(p->c + gap, before + gap, (p->s.ldc - p->s.n) * sizeof(float)))
            return false;
    }
    return true;
}

static void compare(kcheck *k, product *p) {
    const shape *s = &p->s;
    double *want = kc_buffer(k, s->m * s->n * sizeof *want);
    double *bound = kc_buffer(k, s->m * s->n * sizeof *bound);
    float *dense = kc_buffer(k, s->m * s->n * sizeof *dense);
    expect(p, want, bound);
    for (size_t i = 0; i < s->m; i++)
        memcpy(dense + i * s->n, p->c + i * s->ldc, s->n * sizeof *dense);
    kc_close_bound(k, dense, want, bound, s->m * s->n, s->n);
}

static void check_one(kcheck *k, shape s, bool plain) {
    kc_case(k, "m=%zu n=%zu k=%zu lda=%zu ldc=%zu%s%s", s.m, s.n, s.k, s.lda, s.ldc,
            s.a_transposed ? " transA" : "", s.b_transposed ? " transB" : "");
    product p;
    prepare(k, &p, s, plain);
    pack(&p);
    float *before = kc_buffer(k, p.c_floats * sizeof(float));
    float *other = kc_buffer(k, p.c_floats * sizeof(float));
    memcpy(before, p.c, p.c_floats * sizeof(float));
    memcpy(other, p.c, p.c_floats * sizeof(float));
    run(&p, p.c, SIZE_MAX, SIZE_MAX);
    compare(k, &p);
    kc_true(k, gaps_kept(&p, before), "wrote between the rows");
    run(&p, other, (size_t)kc_int(k, 1, 3), (size_t)kc_int(k, 1, 3));
    kc_same(k, p.c, other, p.c_floats, sizeof(float));
    kc_release(k);
}

static void check_sizes(kcheck *k, const hst__gemm_f32_kernel *kernel) {
    static const size_t sums[] = {1, 2, 7, 33, 64, 129, 700};
    size_t ms[KC_SIZES], ns[KC_SIZES];
    int n_ms = kc_sizes(k, (int)kernel->mr, ms), n_ns = kc_sizes(k, (int)kernel->nr, ns);
    for (int i = 0; i < n_ms; i++) {
        for (int j = 0; j < n_ns; j++) {
            shape s = {.m = ms[i], .n = ns[j], .k = sums[kc_int(k, 0, 6)]};
            s.a_transposed = kc_one_in(k, 5);
            s.b_transposed = kc_one_in(k, 2);
            s.lda = (s.a_transposed ? s.m : s.k) + (size_t)kc_int(k, 0, 3);
            s.ldc = s.n + (size_t)kc_int(k, 0, 3);
            check_one(k, s, false);
        }
    }
    for (size_t m = 1; m <= kernel->mr; m++) {
        for (size_t n = 1; n <= kernel->nr; n++)
            check_one(k, (shape){.m = m, .n = n, .k = 19, .lda = 19, .ldc = n}, true);
    }
    /* Sums in several blocks; rows that fall on the same cache sets. */
    check_one(k, (shape){.m = 17, .n = 35, .k = 2100, .lda = 2100, .ldc = 35}, false);
    check_one(k, (shape){.m = 17, .n = 70, .k = 1024, .lda = 1024, .ldc = 70}, false);
    check_one(k, (shape){.m = 3, .n = 5, .k = 0, .lda = 0, .ldc = 5}, false);
}

/* The sum of each row is its own: the same bits whatever the other rows. */
static void check_rows_alone(kcheck *k) {
    shape s = {.m = 23, .n = 61, .k = 650, .lda = 653, .ldc = 61};
    kc_case(k, "one row of %zu", s.m);
    product p, one;
    prepare(k, &p, s, true);
    pack(&p);
    run(&p, p.c, SIZE_MAX, SIZE_MAX);
    one = p;
    hst__gemm_f32_plan_init(&one.plan, k->level, 1, s.n, s.k, false, s.lda, s.ldc);
    float *row = kc_buffer(k, s.n * sizeof(float));
    for (size_t i = 0; i < s.m; i++) {
        one.a = p.a + i * s.lda;
        run(&one, row, SIZE_MAX, SIZE_MAX);
        kc_same(k, row, p.c + i * s.ldc, s.n, sizeof(float));
    }
    kc_release(k);
}

/* c = act(A * B + c), the addend being the output. */
static void check_in_place(kcheck *k) {
    shape s = {.m = 19, .n = 75, .k = 1300, .lda = 1301, .ldc = 77};
    kc_case(k, "addend in place");
    product p;
    prepare(k, &p, s, true);
    pack(&p);
    kc_fill_f32(k, p.c, p.c_floats, KC_UNIT);
    float *addend = kc_buffer(k, p.c_floats * sizeof(float));
    memcpy(addend, p.c, p.c_floats * sizeof(float));
    p.epilogue.act = (hst__act){HST__ACT_RELU, 0, 0};
    p.epilogue.ldd = s.ldc;
    p.epilogue.addend = p.c;
    run(&p, p.c, SIZE_MAX, SIZE_MAX);
    p.epilogue.addend = addend;
    compare(k, &p);
    kc_release(k);
}

static void check_specials(kcheck *k) {
    static const hst__act_kind kinds[] = {HST__ACT_NONE, HST__ACT_RELU, HST__ACT_CLIP,
                                          HST__ACT_LEAKY_RELU};
    for (int i = 0; i < 4; i++) {
        shape s = {.m = 31, .n = 45, .k = 40, .lda = 41, .ldc = 47};
        kc_case(k, "NaN and infinities, activation %d", i);
        product p;
        prepare(k, &p, s, true);
        float *a = (float *)(uintptr_t)p.a;
        for (int n = 0; n < 9; n++)
            a[kc_int(k, 0, 30 * 41)] = n < 3 ? NAN : n < 6 ? INFINITY : -INFINITY;
        p.epilogue.act = (hst__act){kinds[i], i == 2 ? -1 : 0.25f, 1};
        pack(&p);
        run(&p, p.c, SIZE_MAX, SIZE_MAX);
        compare(k, &p);
        kc_release(k);
    }
}

static void check_split(kcheck *k) {
    for (int round = 0; round < 40; round++) {
        size_t m = (size_t)kc_int(k, 1, 60), n = (size_t)kc_int(k, 1, 60);
        hst__split s = hst__split_tiles(m, n, kc_real(k, 1e3, 1e6), kc_int(k, 1, 9));
        kc_case(k, "split of %zu x %zu", m, n);
        unsigned char seen[60][60] = {{0}};
        for (int i = 0; i < hst__split_count(&s); i++) {
            hst__tiles t = hst__split_piece(&s, i);
            for (size_t y = t.m_begin; y < t.m_end; y++)
                for (size_t x = t.n_begin; x < t.n_end; x++)
                    seen[y][x]++;
        }
        bool once = true;
        for (size_t y = 0; y < m; y++)
            for (size_t x = 0; x < n; x++)
                once &= seen[y][x] == 1;
        kc_true(k, once, "not every tile exactly once");
    }
    kc_true(k, hst__split_count(&(hst__split){0}) == 0, "empty grid");
    hst__gemm_f32_plan plan;
    kc_true(k,
            !hst__gemm_f32_plan_init(&plan, k->level, 1, SIZE_MAX / 4, 64, false, 64,
                                     SIZE_MAX / 4),
            "a packed size that does not fit");
}

static void bench_run(void *context) {
    product *p = context;
    run(p, p->c, SIZE_MAX, SIZE_MAX);
}

static void bench_pack(void *context) { pack(context); }

static void bench(kcheck *k) {
    static const struct {
        size_t m, n, k;
    } shapes[] = {{1, 1000, 2048},  {49, 512, 2048}, {128, 768, 768}, {128, 3072, 768},
                  {128, 768, 3072}, {128, 128, 64},  {128, 64, 128},  {196, 256, 1024},
                  {784, 512, 128},  {3136, 64, 64},  {3136, 256, 64}, {12544, 96, 16},
                  {12544, 16, 32},  {3136, 24, 144}, {49, 960, 160}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape s = {.m = shapes[i].m, .n = shapes[i].n, .k = shapes[i].k};
        s.lda = s.k;
        s.ldc = s.n;
        s.b_transposed = true;
        char what[64];
        product p;
        kc_case(k, "bench");
        prepare(k, &p, s, true);
        snprintf(what, sizeof what, "%zux%zux%zu", s.m, s.n, s.k);
        pack(&p);
        kc_bench(k, what, 2.0 * (double)(s.m * s.n * s.k), "GFLOP/s", bench_run, &p);
        snprintf(what, sizeof what, "pack %zux%zu", s.k, s.n);
        kc_bench(k, what, 8.0 * (double)(s.n * s.k), "GB/s", bench_pack, &p);
        kc_release(k);
    }
}

void check_gemm(kcheck *k) {
    const hst__gemm_f32_kernel *kernel = hst__gemm_f32_pick(k->level);
    if (!kc_fresh(k, 0, (kc_fn *)kernel->tile))
        return;
    check_sizes(k, kernel);
    check_rows_alone(k);
    check_in_place(k);
    check_specials(k);
    check_split(k);
    if (k->bench)
        bench(k);
}
