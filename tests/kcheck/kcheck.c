#include "kcheck.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "state.h"

void kc_case(kcheck *k, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(k->state->label, sizeof k->state->label, format, args);
    va_end(args);
}

bool kc_fresh(kcheck *k, int key, kc_fn *fn) {
    kc_state *s = k->state;
    for (int i = 0; i < s->n_seen; i++) {
        if (s->seen[i].fn == fn && s->seen[i].key == key &&
            s->seen[i].family == k->family)
            return false;
    }
    if (s->n_seen < KC_MAX_SEEN) {
        s->seen[s->n_seen].family = k->family;
        s->seen[s->n_seen].key = key;
        s->seen[s->n_seen++].fn = fn;
    }
    return true;
}

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do, also 0. */
uint64_t kc_random(kcheck *k) {
    uint64_t z = k->state->rng += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int kc_int(kcheck *k, int lo, int hi) {
    return lo + (int)(kc_random(k) % (uint64_t)((int64_t)hi - lo + 1));
}

double kc_real(kcheck *k, double lo, double hi) {
    return lo + (hi - lo) * (double)(kc_random(k) >> 11) * 0x1p-53;
}

bool kc_one_in(kcheck *k, int n) { return kc_random(k) % (uint64_t)n == 0; }

static float any_exponent(kcheck *k) {
    float mantissa = (float)kc_real(k, 1, 2);
    float x = ldexpf(mantissa, kc_int(k, -126, 126));
    return kc_one_in(k, 2) ? -x : x;
}

static float special(kcheck *k, bool finite) {
    static const float finites[] = {0.0f,        -0.0f,      1.0f,      -1.0f,
                                    0x1p-149f,   -0x1p-140f, 0x1p-126f, -0x1p-126f,
                                    0x1.8p-130f, 3.4e38f,    -3.4e38f,  0x1.fffffep127f};
    enum { N_FINITE = sizeof finites / sizeof *finites };
    int i = kc_int(k, 0, finite ? N_FINITE - 1 : N_FINITE + 5);
    if (i < N_FINITE)
        return finites[i];
    if (i < N_FINITE + 3)
        return NAN;
    return i < N_FINITE + 4 ? INFINITY : -INFINITY;
}

void kc_fill_f32(kcheck *k, float *x, size_t n, kc_fill mode) {
    for (size_t i = 0; i < n; i++) {
        float value = (float)kc_real(k, -1, 1);
        if (mode == KC_SMALL)
            value = (float)kc_int(k, -8, 8);
        else if (mode == KC_WIDE)
            value = any_exponent(k);
        else if (mode != KC_UNIT && kc_one_in(k, 6))
            value = special(k, mode == KC_FINITE);
        memcpy((char *)x + i * sizeof *x, &value, sizeof value);
    }
}

void kc_fill_bytes(kcheck *k, void *x, size_t bytes) {
    unsigned char *p = x;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t r = kc_random(k);
        memcpy(p + i, &r, bytes - i < 8 ? bytes - i : 8);
    }
}

int kc_sizes(kcheck *k, int tile, size_t *out) {
    const int few[] = {1,
                       2,
                       3,
                       5,
                       tile - 1,
                       tile,
                       tile + 1,
                       2 * tile,
                       2 * tile + 1,
                       3 * tile,
                       4 * tile - 1,
                       4 * tile + 7};
    const int more[] = {4,  7, 11, 13, 31, 61, 127, 5 * tile + 3, 8 * tile, 9 * tile - 1,
                        257};
    int n = 0, n_few = sizeof few / sizeof *few, n_more = sizeof more / sizeof *more;
    for (int i = 0; i < n_few + (k->thorough ? n_more : 0) && n < KC_SIZES; i++) {
        int size = i < n_few ? few[i] : more[i - n_few];
        bool known = size < 1;
        for (int j = 0; j < n; j++)
            known |= out[j] == (size_t)size;
        if (!known)
            out[n++] = (size_t)size;
    }
    return n;
}

void kc_flush(kcheck *k, bool on) {
    kc_state *s = k->state;
    if (on == s->flush)
        return;
    if (on)
        s->saved_fp = hst__cpu_flush_subnormals();
    else
        hst__cpu_restore_fp(s->saved_fp);
    s->flush = on;
}

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void kc_bench(kcheck *k, const char *what, double work, const char *unit,
              void (*fn)(void *context), void *context) {
    double begin = now_ns();
    fn(context);
    double once = now_ns() - begin + 1;
    int calls = once > 3e6 ? 1 : (int)(3e6 / once) + 1;
    double best = INFINITY;
    for (int batch = 0; batch < 9; batch++) {
        begin = now_ns();
        for (int i = 0; i < calls; i++)
            fn(context);
        double each = (now_ns() - begin) / calls;
        best = each < best ? each : best;
    }
    printf("bench %-10s %-10s %-36s %12.1f ns %9.2f %s\n", k->family,
           hst_cpu_name(k->level), what, best, work / best, unit);
}
