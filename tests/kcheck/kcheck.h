/* kcheck: checks every kernel of every family, at every CPU level of this machine,
 * against its reference. One check_<family>.c holds one `void check_<family>(kcheck *k)`,
 * one line in families.def registers it. main.c calls it once a level, in rising order,
 * with k->level set; the body asks the family's table for that level and compares:
 *
 *     void check_scale(kcheck *k) {
 *         hst__scale_fn *fn = hst__scale_get(k->level);
 *         if (!kc_fresh(k, 0, (kc_fn *)fn))
 *             return;                          // same function as one level below
 *         size_t sizes[KC_SIZES];
 *         int n_sizes = kc_sizes(k, 16, sizes);
 *         for (int i = 0; i < n_sizes; i++) {
 *             kc_case(k, "n=%zu", sizes[i]);   // named in messages, also after a crash
 *             float *x = kc_buffer(k, sizes[i] * sizeof(float));
 *             ...
 *             kc_close_f32(k, y, want, sizes[i], (kc_tol){.ulp = 2});
 *             kc_release(k);                   // checks the canaries, frees the buffers
 *         }
 *         if (k->bench)
 *             kc_bench(k, "scale 64k", bytes, "GB/s", run_it, &context);
 *     }
 */
#ifndef HST_TESTS_KCHECK_H
#define HST_TESTS_KCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hasten/cpu.h"

typedef struct kcheck {
    hst_cpu_level level; /**< what the kernels under check may use; never AUTO */
    bool thorough;       /**< --long: more sizes, more repetitions */
    bool bench;          /**< --bench: also time the kernels */
    uint64_t seed;       /**< of this run; each family and level starts anew from it */
    const char *family;
    struct kc_state *state; /**< the harness's own */
} kcheck;

/* check_<family> of every line in families.def. */
#define KCHECK_FAMILY(name) void check_##name(kcheck *k);
#include "families.def"
#undef KCHECK_FAMILY

typedef void kc_fn(void);

/** Names what is being checked until the next call. */
__attribute__((format(printf, 2, 3))) void kc_case(kcheck *k, const char *format, ...);
/** False when the same `fn` was already seen in this family under `key` at a lower level:
 * nothing new to check. `key` tells the functions of one family apart. */
bool kc_fresh(kcheck *k, int key, kc_fn *fn);

/* Randomness: the same seed gives the same run. */
uint64_t kc_random(kcheck *k);
/** An integer in lo..hi, both included. */
int kc_int(kcheck *k, int lo, int hi);
/** In [lo, hi). */
double kc_real(kcheck *k, double lo, double hi);
/** About one time in `n`. */
bool kc_one_in(kcheck *k, int n);

typedef enum kc_fill {
    KC_UNIT,    /**< uniform in [-1, 1) */
    KC_SMALL,   /**< integers -8..8: sums are exact, orders do not matter */
    KC_WIDE,    /**< every exponent alike, normal numbers of both signs */
    KC_SPECIAL, /**< KC_UNIT with NaN, Inf, zeros of both signs, subnormals, extremes */
    KC_FINITE,  /**< KC_SPECIAL without NaN and Inf */
} kc_fill;
void kc_fill_f32(kcheck *k, float *x, size_t n, kc_fill mode);
/** Any bits: for integers of every width. */
void kc_fill_bytes(kcheck *k, void *x, size_t bytes);

/** Sizes worth a try for a kernel that works in tiles of `tile`: 1, tile-1, tile, tile+1,
 * multiples, primes; more of them when k->thorough. Returns how many, <= KC_SIZES. */
int kc_sizes(kcheck *k, int tile, size_t *out);
enum { KC_SIZES = 24 };

/** Memory whose last byte touches an unreadable page and before which lies a canary and
 * another unreadable page: an over-read crashes (and the case is named), an under-write
 * is found by kc_release. Filled with a pattern. Address: as odd as `bytes` makes it, so
 * pointers of floats are aligned to 4 alone. Never NULL. Freed by kc_release. */
void *kc_buffer(kcheck *k, size_t bytes);
/** Likewise, the start aligned to `align` (a power of two up to 4096); what is then left
 * before the unreadable page is canary too. */
void *kc_buffer_aligned(kcheck *k, size_t bytes, size_t align);
/** A buffer of n random floats. */
float *kc_floats(kcheck *k, size_t n, kc_fill mode);
/** Checks the canaries of all buffers and frees them. Called by main after each family.
 */
void kc_release(kcheck *k);

/** One check. When it fails, the case and the message are printed (the first few times).
 */
__attribute__((format(printf, 3, 4))) bool kc_true(kcheck *k, bool holds,
                                                   const char *format, ...);
/** Identical bytes; `size` is the element's, for the message (1, 2, 4, 8). One check. */
bool kc_same(kcheck *k, const void *got, const void *want, size_t n, size_t size);
/** Identical integers; on a mismatch both are printed as numbers. */
bool kc_same_s32(kcheck *k, const int32_t *got, const int32_t *want, size_t n);
bool kc_same_u8(kcheck *k, const uint8_t *got, const uint8_t *want, size_t n);
bool kc_same_s8(kcheck *k, const int8_t *got, const int8_t *want, size_t n);

/** Floats are alike when |got-want| <= ulp*(spacing of floats at want) + rel*|want| +
 * abs. NaN is like NaN, an infinity like itself alone, -0 like +0. */
typedef struct kc_tol {
    double ulp, rel, abs;
    size_t cols; /**< of a matrix: a mismatch is then told as [row, column] */
} kc_tol;
bool kc_close_f32(kcheck *k, const float *got, const float *want, size_t n, kc_tol tol);
/** Against a reference in double. */
bool kc_close_f64(kcheck *k, const float *got, const double *want, size_t n, kc_tol tol);
/** Against a reference in double, bound[i] the largest allowed error of element i, e.g.
 * c*k*eps*sum|a||b|. */
bool kc_close_bound(kcheck *k, const float *got, const double *want, const double *bound,
                    size_t n, size_t cols);
/** Distance of got from want in float spacings at want; 0 where alike, Inf where
 * hopeless. */
double kc_ulp(float got, double want);

/** Turns flush-to-zero and denormals-are-zero on or off for this thread, as the engine
 * has it. Off at the start of each family. While on, a subnormal result is like 0. */
void kc_flush(kcheck *k, bool on);

/** Times fn(context) and prints the best of several batches: time a call, and `work`
 * (bytes, flops, elements of one call) in units of 1e9 a second followed by `unit`. */
void kc_bench(kcheck *k, const char *what, double work, const char *unit,
              void (*fn)(void *context), void *context);

#endif
