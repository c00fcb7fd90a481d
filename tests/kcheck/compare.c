/* Comparisons: each call is one check and tells the first mismatch. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

bool kc_count(kcheck *k, bool holds, bool *report) {
    kc_state *s = k->state;
    *report = false;
    if (holds) {
        s->passed++;
        return true;
    }
    s->failed++;
    *report = s->reports < KC_MAX_REPORTS;
    if (*report)
        printf("FAIL %s %s: %s (seed %llu)\n", k->family, hst_cpu_name(k->level),
               s->label, (unsigned long long)k->seed);
    else if (s->reports == KC_MAX_REPORTS)
        printf("    further failures of %s %s are counted, not shown\n", k->family,
               hst_cpu_name(k->level));
    s->reports++;
    return false;
}

bool kc_true(kcheck *k, bool holds, const char *format, ...) {
    bool report;
    kc_count(k, holds, &report);
    if (report) {
        va_list args;
        va_start(args, format);
        printf("    ");
        vprintf(format, args);
        printf("\n");
        va_end(args);
    }
    return holds;
}

static void print_place(size_t i, size_t n, size_t cols) {
    if (cols)
        printf("    at [%zu, %zu] (element %zu of %zu): ", i / cols, i % cols, i, n);
    else
        printf("    at element %zu of %zu: ", i, n);
}

static uint64_t load(const void *p, size_t i, size_t size) {
    uint64_t v = 0;
    memcpy(&v, (const char *)p + i * size, size);
    return v;
}

/* Index of the first element that differs, n where none does. */
static size_t first_difference(const void *got, const void *want, size_t n, size_t size) {
    if (!n || !memcmp(got, want, n * size))
        return n;
    size_t i = 0;
    while (!memcmp((const char *)got + i * size, (const char *)want + i * size, size))
        i++;
    return i;
}

bool kc_same(kcheck *k, const void *got, const void *want, size_t n, size_t size) {
    bool report;
    size_t i = first_difference(got, want, n, size);
    kc_count(k, i == n, &report);
    if (report) {
        print_place(i, n, 0);
        printf("got bits %0*llx, wanted %0*llx\n", (int)size * 2,
               (unsigned long long)load(got, i, size), (int)size * 2,
               (unsigned long long)load(want, i, size));
    }
    return i == n;
}

static bool same_integers(kcheck *k, const void *got, const void *want, size_t n,
                          size_t size, int (*read)(const void *, size_t)) {
    bool report;
    size_t i = first_difference(got, want, n, size);
    kc_count(k, i == n, &report);
    if (report) {
        print_place(i, n, 0);
        printf("got %d, wanted %d\n", read(got, i), read(want, i));
    }
    return i == n;
}

static int read_s32(const void *p, size_t i) { return (int32_t)(uint32_t)load(p, i, 4); }
static int read_u8(const void *p, size_t i) { return ((const uint8_t *)p)[i]; }
static int read_s8(const void *p, size_t i) { return ((const int8_t *)p)[i]; }

bool kc_same_s32(kcheck *k, const int32_t *got, const int32_t *want, size_t n) {
    return same_integers(k, got, want, n, 4, read_s32);
}
bool kc_same_u8(kcheck *k, const uint8_t *got, const uint8_t *want, size_t n) {
    return same_integers(k, got, want, n, 1, read_u8);
}
bool kc_same_s8(kcheck *k, const int8_t *got, const int8_t *want, size_t n) {
    return same_integers(k, got, want, n, 1, read_s8);
}

/* Distance from |x| to the next float above; in double arithmetic, so that flush-to-zero
 * of floats does not reach it. */
static double spacing(double x) {
    int e;
    frexp(fabs(x), &e);
    if (x == 0 || e < -125)
        e = -125;
    if (e > 128)
        e = 128;
    return ldexp(1.0, e - 24);
}

double kc_ulp(float got, double want) {
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (fabs(want) >= 0x1.ffffffp127) /* rounds to an infinity */
        want = want > 0 ? INFINITY : -INFINITY;
    if (isinf(got) || isinf(want))
        return got == want ? 0 : INFINITY;
    return fabs((double)got - want) / spacing(want);
}

/* A float as a double whatever flush-to-zero says: conversions read subnormals as 0. */
static double widen(const float *p, size_t i) {
    uint32_t bits = (uint32_t)load(p, i, 4);
    if ((bits & 0x7f800000u) == 0) {
        double tiny = ldexp((double)(bits & 0x7fffffu), -149);
        return bits >> 31 ? -tiny : tiny;
    }
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static double limit(double want, kc_tol tol) {
    return tol.ulp * spacing(want) + tol.rel * fabs(want) + tol.abs;
}

static bool alike(kcheck *k, double got, double want, double bound) {
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    if (fabs(want) >= 0x1.ffffffp127)
        want = want > 0 ? INFINITY : -INFINITY;
    if (isinf(got) || isinf(want))
        return got == want;
    /* Subnormals are read and written as 0 then. */
    if (k->state->flush)
        bound += FLT_MIN;
    return fabs(got - want) <= bound;
}

static void tell_floats(size_t i, size_t n, size_t cols, double got, double want,
                        double bound) {
    print_place(i, n, cols);
    printf("got %.9g, wanted %.9g, off by %.3g (%.1f ulp), allowed %.3g\n", got, want,
           fabs(got - want), fabs(got - want) / spacing(want), bound);
}

bool kc_close_f32(kcheck *k, const float *got, const float *want, size_t n, kc_tol tol) {
    size_t i = 0;
    bool report;
    while (i < n && alike(k, widen(got, i), widen(want, i), limit(widen(want, i), tol)))
        i++;
    kc_count(k, i == n, &report);
    if (report)
        tell_floats(i, n, tol.cols, widen(got, i), widen(want, i),
                    limit(widen(want, i), tol));
    return i == n;
}

bool kc_close_f64(kcheck *k, const float *got, const double *want, size_t n, kc_tol tol) {
    size_t i = 0;
    bool report;
    while (i < n && alike(k, widen(got, i), want[i], limit(want[i], tol)))
        i++;
    kc_count(k, i == n, &report);
    if (report)
        tell_floats(i, n, tol.cols, widen(got, i), want[i], limit(want[i], tol));
    return i == n;
}

bool kc_close_bound(kcheck *k, const float *got, const double *want, const double *bound,
                    size_t n, size_t cols) {
    size_t i = 0;
    bool report;
    while (i < n && alike(k, widen(got, i), want[i], bound[i]))
        i++;
    kc_count(k, i == n, &report);
    if (report)
        tell_floats(i, n, cols, widen(got, i), want[i], bound[i]);
    return i == n;
}
