#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "hasten/measure.h"

uint64_t hst_clock_ns(void) { return hst__clock_ns(); }
uint64_t hst_cpu_time_ns(void) { return hst__clock_cpu_ns(); }

uint64_t hst_peak_rss_bytes(void) {
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss * 1024 : 0;
}

static int ascending(const void *pa, const void *pb) {
    uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

/** log of the probability that exactly k of n samples lie below the p-quantile. */
static double log_binomial(size_t n, size_t k, double p) {
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
           (double)k * log(p) + (double)(n - k) * log1p(-p);
}

/** Ranks l < u (1-based) with P(x_(l) <= quantile <= x_(u)) >= 95 %: the tails of the
 * binomial distribution of "how many samples lie below". u = n + 1: no upper bound. */
static void ranks(size_t n, double p, size_t *low, size_t *high) {
    const double tail = 0.025;
    double sd = sqrt((double)n * p * (1 - p)), centre = (double)n * p, cdf = 0;
    /* Beyond 12 standard deviations nothing adds up to anything. */
    double first = floor(centre - 12 * sd - 12);
    *low = 0;
    *high = n + 1;
    for (size_t k = first > 0 ? (size_t)first : 0; k <= n; k++) {
        cdf += exp(log_binomial(n, k, p));
        if (cdf <= tail)
            *low = k + 1;
        if (cdf >= 1 - tail) {
            *high = k + 1;
            return;
        }
    }
}

hst_percentile hst_stats_percentile(const uint64_t *sorted, size_t n, double p) {
    size_t at = (size_t)ceil(p * (double)n - 1e-9), low, high;
    hst_percentile r = {.p = p};
    at = at < 1 ? 1 : at > n ? n : at;
    r.value = sorted[at - 1];
    r.samples_needed = (size_t)ceil(log(0.01) / log(p));
    ranks(n, p, &low, &high);
    r.carried = n >= r.samples_needed;
    r.low = sorted[low < 1 ? 0 : low - 1];
    r.high = sorted[high > n ? n - 1 : high - 1];
    return r;
}

static uint64_t median(const uint64_t *samples, size_t n, uint64_t *scratch) {
    memcpy(scratch, samples, n * sizeof *samples);
    qsort(scratch, n, sizeof *scratch, ascending);
    return scratch[(n - 1) / 2];
}

static int is_stable(const uint64_t *samples, size_t n, uint64_t *scratch) {
    size_t window = n / 6;
    uint64_t low = UINT64_MAX, high = 0;
    if (window < 1)
        return 1;
    for (int i = 1; i <= 3; i++) {
        uint64_t m = median(samples + n - (size_t)i * window, window, scratch);
        low = m < low ? m : low;
        high = m > high ? m : high;
    }
    return (double)(high - low) <= 0.1 * (double)low;
}

hst_status hst_stats_compute(const uint64_t *samples, size_t n, hst_stats *out,
                             hst_error *err) {
    static const double wanted[HST_PERCENTILES] = {0.5, 0.9, 0.95, 0.99, 0.999};
    if (n == 0)
        return hst__fail(err, HST_E_ARG, "statistics of no samples");
    uint64_t *sorted = hst__alloc(n * sizeof *sorted);
    if (!sorted)
        return hst__fail_nomem(err, n * sizeof *sorted);
    *out = (hst_stats){.n = n, .stable = is_stable(samples, n, sorted)};
    memcpy(sorted, samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    double square = 0;
    for (size_t i = 0; i < n; i++)
        out->mean += (double)samples[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += ((double)samples[i] - out->mean) * ((double)samples[i] - out->mean);
    out->stddev = n > 1 ? sqrt(square / (double)(n - 1)) : 0;
    out->min = sorted[0];
    out->max = sorted[n - 1];
    for (int i = 0; i < HST_PERCENTILES; i++)
        out->percentiles[i] = hst_stats_percentile(sorted, n, wanted[i]);
    hst__free(sorted);
    return HST_OK;
}

enum { WINDOW_MAX = 64 }; /**< samples in a warm-up window */

size_t hst_stats_warmup(const uint64_t *samples, size_t n, size_t window) {
    uint64_t scratch[WINDOW_MAX];
    window = window < 1 ? 1 : window > WINDOW_MAX ? WINDOW_MAX : window;
    for (size_t i = 0; i + 2 * window <= n; i++) {
        double a = (double)median(samples + i, window, scratch);
        double b = (double)median(samples + i + window, window, scratch);
        if (a <= 1.05 * b && b <= 1.05 * a && (double)samples[i] <= 1.25 * b)
            return i;
    }
    return n;
}
