/* Statistics of latency samples, and what a machine can do and how steadily. */
#ifndef HASTEN_MEASURE_H
#define HASTEN_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "hasten/cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Nanoseconds of the one monotonic clock that everything here is measured by. */
HST_API uint64_t hst_clock_ns(void);
/** CPU time that all threads of the process have used, in nanoseconds. */
HST_API uint64_t hst_cpu_time_ns(void);
/** Largest resident set of the process so far, in bytes. */
HST_API uint64_t hst_peak_rss_bytes(void);

/** A percentile with its order-statistic confidence interval (95 %). */
typedef struct hst_percentile {
    double p;              /**< 0.5, 0.99, ... */
    uint64_t value;        /**< sorted[ceil(p * n) - 1] */
    uint64_t low, high;    /**< interval; valid only when carried */
    int carried;           /**< 0: the sample is too small to say anything about it */
    size_t samples_needed; /**< smallest n that carries it: p^n <= 1 % */
} hst_percentile;

enum { HST_PERCENTILES = 5 }; /**< p50, p90, p95, p99, p99.9 */

typedef struct hst_stats {
    size_t n;
    uint64_t min, max;
    double mean, stddev;
    hst_percentile percentiles[HST_PERCENTILES];
    int stable; /**< medians of the last three windows lie within 10 % of each other */
} hst_stats;

/** Statistics of n >= 1 samples in order of time (unit: the caller's, usually ns).
 * Errors: ARG (n is 0), NOMEM. */
HST_API hst_status hst_stats_compute(const uint64_t *samples, size_t n, hst_stats *out,
                                     hst_error *err);
/** sorted[ceil(p*n)-1] with its interval; `sorted` ascending, n >= 1, 0 < p < 1. */
HST_API hst_percentile hst_stats_percentile(const uint64_t *sorted, size_t n, double p);

/** Number of leading samples that belong to warm-up: the first index from which the median
 * of `window` samples is within 5 % of the median of the window after it; n where that
 * never happens. */
HST_API size_t hst_stats_warmup(const uint64_t *samples, size_t n, size_t window);

/** What this machine is and can do. Rates in GFLOP/s, GOP/s (one multiply-add is two) and
 * GB/s; 0 where not measured. Texts belong to the struct. */
typedef struct hst_machine {
    char cpu_model[96];
    hst_cpu_level level;
    int bf16;              /**< 1: AVX512_BF16 is there */
    int online_cpus;       /**< of the host */
    int affinity_cpus;     /**< this process may run on */
    double quota_cpus;     /**< of the cgroup; 0: none */
    int usable_threads;
    int smt;               /**< 1: cores are shared by sibling threads, 0: not, -1: unknown */
    char governor[32];     /**< "" where not visible */
    char clock_source[32];
    int64_t l1d_bytes, l2_bytes, l3_bytes; /**< 0: unknown */
    double clock_read_ns;
    double f32_gflops, int8_gops;          /**< one core, measured */
    double f32_gflops_all;                 /**< all usable threads together */
    double l1_gbs, l2_gbs, memory_gbs;     /**< reading, one core */
    double noise_p50, noise_p99, noise_max; /**< of a fixed 1 ms loop, relative excess over
                                                 its minimum */
    double load_average;
    double steal_share;    /**< CPU time taken by the hypervisor while measuring; -1: unknown */
    char huge_pages[32];   /**< transparent huge pages: always, madvise, never */
} hst_machine;

/** Looks and measures, about `seconds` long (0.5 to 10). Errors: ARG, NOMEM. */
HST_API hst_status hst_machine_measure(double seconds, hst_machine *out, hst_error *err);

#ifdef __cplusplus
}
#endif
#endif
