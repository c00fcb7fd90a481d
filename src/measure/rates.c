/* What the machine does when it is measured: peak arithmetic, bandwidth, noise. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "kernels/peak.h"
#include "measure/machine.h"

/** Operations per nanosecond of a loop: the best of several runs of about 1 ms. */
static double best_rate(hst__peak_loop *loop, uint64_t budget_ns) {
    float sink;
    size_t rounds = 1000;
    double best = 0;
    uint64_t start = hst__clock_ns(), took;
    do {
        uint64_t t = hst__clock_ns();
        double operations = loop(rounds, &sink);
        took = hst__clock_ns() - t;
        if (took < 1000000)
            rounds *= 2;
        else if (operations / (double)took > best)
            best = operations / (double)took;
    } while (hst__clock_ns() - start < budget_ns || best == 0);
    return best;
}

typedef struct together {
    hst__peak_loop *loop;
    uint64_t budget_ns;
    double rates[HST__POOL_MAX];
} together;

static void rate_task(void *context, int index, int worker) {
    together *t = context;
    (void)worker;
    t->rates[index] = best_rate(t->loop, t->budget_ns);
}

static double rate_of_all(hst__peak_loop *loop, int threads, uint64_t budget_ns) {
    together t = {.loop = loop, .budget_ns = budget_ns};
    double sum = 0;
    hst__pool_run(threads, threads, rate_task, &t);
    for (int i = 0; i < threads; i++)
        sum += t.rates[i];
    return sum;
}

/** Sum of all words, four streams at a time: nothing but reading. */
static uint64_t read_all(const uint64_t *p, size_t words) {
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (size_t i = 0; i + 4 <= words; i += 4) {
        a += p[i];
        b += p[i + 1];
        c += p[i + 2];
        d += p[i + 3];
    }
    return a + b + c + d;
}

/** GB/s of reading a buffer of this size again and again; 0 when out of memory. */
static double bandwidth(size_t bytes, uint64_t budget_ns) {
    uint64_t *p = hst__alloc(bytes);
    if (!p)
        return 0;
    memset(p, 1, bytes);
    uint64_t sink = 0;
    double best = 0;
    size_t repeat = bytes < (1u << 20) ? (1u << 20) / bytes : 1;
    uint64_t start = hst__clock_ns();
    do {
        uint64_t t = hst__clock_ns();
        for (size_t i = 0; i < repeat; i++)
            sink += read_all(p, bytes / sizeof *p);
        __asm__ volatile("" : : "r"(sink)); /* the sum is wanted */
        double rate = (double)bytes * (double)repeat / (double)(hst__clock_ns() - t);
        best = rate > best ? rate : best;
    } while (hst__clock_ns() - start < budget_ns);
    hst__free(p);
    return best;
}

static double clock_cost(void) {
    enum { READS = 20000 };
    uint64_t start = hst__clock_ns(), last = start;
    for (int i = 0; i < READS; i++)
        last = hst__clock_ns();
    return (double)(last - start) / READS;
}

/** Runs the same piece of work of about 1 ms again and again; what it takes beyond its
 * fastest run is what the machine, not the program, adds. */
static hst_status measure_noise(hst_machine *m, uint64_t budget_ns, hst_error *err) {
    size_t n = (size_t)(budget_ns / 1000000) + 10;
    uint64_t *samples = hst__alloc(n * sizeof *samples);
    if (!samples)
        return hst__fail_nomem(err, n * sizeof *samples);
    float sink;
    size_t rounds = 1000;
    for (uint64_t took = 0; took < 700000; rounds += rounds / 4) {
        uint64_t t = hst__clock_ns();
        hst__peak_f32__ref(rounds, &sink);
        took = hst__clock_ns() - t;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t t = hst__clock_ns();
        hst__peak_f32__ref(rounds, &sink);
        samples[i] = hst__clock_ns() - t;
    }
    hst_stats s;
    hst_status st = hst_stats_compute(samples, n, &s, err);
    if (!st) {
        double least = (double)s.min;
        m->noise_p50 = (double)s.percentiles[0].value / least - 1;
        m->noise_p99 = (double)s.percentiles[3].value / least - 1;
        m->noise_max = (double)s.max / least - 1;
    }
    hst__free(samples);
    return st;
}

hst_status hst_machine_measure(double seconds, hst_machine *out, hst_error *err) {
    if (!(seconds >= 0.5 && seconds <= 10))
        return hst__fail(err, HST_E_ARG, "%g seconds are not in 0.5..10", seconds);
    *out = (hst_machine){0};
    hst__machine_describe(out);
    double total_before, total_after, steal = hst__machine_steal(&total_before);
    uint64_t slice = (uint64_t)(seconds * 1e9 / 10);
    const hst__peak *peak = hst__peak_pick(HST_CPU_AUTO);
    out->clock_read_ns = clock_cost();
    out->f32_gflops = best_rate(peak->f32, slice);
    out->int8_gops = best_rate(peak->int8, slice);
    out->f32_gflops_all = rate_of_all(peak->f32, out->usable_threads, slice);
    out->l1_gbs = bandwidth(16 * 1024, slice);
    out->l2_gbs =
        bandwidth(out->l2_bytes > 0 ? (size_t)out->l2_bytes / 2 : 256 * 1024, slice);
    out->memory_gbs = bandwidth(256u << 20, slice);
    hst_status st = measure_noise(out, 4 * slice, err);
    double after = hst__machine_steal(&total_after);
    out->steal_share = steal < 0 || after < 0 || total_after <= total_before
                           ? -1
                           : (after - steal) / (total_after - total_before);
    return st;
}
