/* hasten bench: the distribution of the latency. */
#include <stdlib.h>

#include "chain.h"
#include "text.h"

enum {
    WARMUP_WINDOW = 5,
    WARMUP_MAX = 2000, /* runs */
    SAMPLES_MAX = 10000000,
};

static const uint64_t warmup_limit_ns = 3000000000u;

typedef struct bench {
    chain chain;
    uint64_t *samples;
    size_t n, cap;
    size_t warmup_n;
    int settled; /**< warm-up ended by itself */
    uint64_t cpu_ns;
    hst_stats stats;
} bench;

static hst_status sample(bench *b, hst_error *err) {
    if (b->n == b->cap) {
        size_t cap = b->cap ? 2 * b->cap : 1024;
        uint64_t *p = realloc(b->samples, cap * sizeof *p);
        if (!p)
            return text_error(err, HST_E_NOMEM, "out of memory for samples");
        b->samples = p;
        b->cap = cap;
    }
    uint64_t start = hst_clock_ns();
    hst_status st = chain_infer(&b->chain, NULL, err);
    b->samples[b->n++] = hst_clock_ns() - start;
    return st;
}

/** Runs until two windows in a row agree; at most a few seconds. */
static hst_status warm_up(bench *b, hst_error *err) {
    uint64_t start = hst_clock_ns();
    hst_status st = HST_OK;
    while (!st && b->n < WARMUP_MAX && !b->settled) {
        st = sample(b, err);
        size_t end = hst_stats_warmup(b->samples, b->n, WARMUP_WINDOW);
        b->settled = b->n >= 3 * WARMUP_WINDOW && end < b->n;
        if (hst_clock_ns() - start > warmup_limit_ns && b->n >= 3)
            break;
    }
    b->warmup_n = b->n;
    b->n = 0;
    return st;
}

static void progress(const bench *b, uint64_t elapsed, uint64_t duration, size_t count) {
    double share =
        count ? (double)b->n / (double)count : (double)elapsed / (double)duration;
    fprintf(stderr, "\r%3.0f %%  %zu runs", 100 * share, b->n);
}

static hst_status measure(bench *b, uint64_t duration, size_t count, hst_error *err) {
    hst_status st = HST_OK;
    uint64_t start = hst_clock_ns(), cpu = hst_cpu_time_ns(), shown = start;
    bool show = text_progress();
    for (uint64_t now = start; !st; now = hst_clock_ns()) {
        if (count ? b->n >= count : now - start >= duration && b->n > 0)
            break;
        if (b->n == SAMPLES_MAX)
            break;
        st = sample(b, err);
        if (show && now - shown > 200000000u) {
            progress(b, now - start, duration, count);
            shown = now;
        }
    }
    b->cpu_ns = hst_cpu_time_ns() - cpu;
    if (show)
        fprintf(stderr, "\r\033[K");
    return st ? st : hst_stats_compute(b->samples, b->n, &b->stats, err);
}

static double ms(uint64_t ns) { return (double)ns / 1e6; }

static void print_histogram(const bench *b) {
    enum { ROWS = 16, WIDTH = 40 };
    size_t counts[ROWS] = {0}, most = 1;
    uint64_t low = b->stats.min,
             high = b->stats.percentiles[3].value; /* p99: no long tail */
    if (high <= low)
        high = low + 1;
    size_t beyond = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (b->samples[i] > high) {
            beyond++;
            continue;
        }
        size_t row =
            (size_t)((double)(b->samples[i] - low) / (double)(high - low + 1) * ROWS);
        counts[row]++;
        most = counts[row] > most ? counts[row] : most;
    }
    printf("\n");
    for (int r = 0; r < ROWS; r++) {
        char bar[3 * WIDTH + 1];
        printf("  %9.3f ms %s %zu\n", ms(low + (high - low) * (uint64_t)r / ROWS),
               text_bar((double)counts[r] / (double)most, WIDTH, bar), counts[r]);
    }
    if (beyond)
        printf("  beyond       %zu, up to %.3f ms\n", beyond, ms(b->stats.max));
}

static void print_percentiles(const hst_stats *s) {
    static const char *const names[HST_PERCENTILES] = {"p50", "p90", "p95", "p99",
                                                       "p99.9"};
    for (int i = 0; i < HST_PERCENTILES; i++) {
        const hst_percentile *p = &s->percentiles[i];
        if (p->carried)
            printf("  %-6s %9.3f ms   [%.3f, %.3f] at 95 %%\n", names[i], ms(p->value),
                   ms(p->low), ms(p->high));
        else
            printf("  %-6s     -          needs %zu more samples\n", names[i],
                   p->samples_needed - s->n);
    }
}

static const char *source_text(const chain *c) {
    switch (c->source) {
    case SOURCE_IMAGE:
        return "photograph";
    case SOURCE_RAW:
        return "tensor file";
    default:
        return "random";
    }
}

static void print_text(const bench *b, const char *model) {
    const chain *c = &b->chain;
    char rss[32], arena[32];
    printf("%s, %d threads, %s, input: %s\n", model, c->info.threads,
           hst_cpu_name(c->info.cpu), source_text(c));
    printf("load %.1f ms, plan %.1f ms, first run %.1f ms; warm-up %zu runs%s\n",
           ms(c->load_ns), ms(c->info.plan_ns), ms(c->first_ns), b->warmup_n,
           b->settled ? "" : " (did not settle)");
    printf("\nlatency of %zu runs\n  min    %9.3f ms\n  mean   %9.3f ms\n", b->n,
           ms(b->stats.min), b->stats.mean / 1e6);
    print_percentiles(&b->stats);
    printf("  max    %9.3f ms\n", ms(b->stats.max));
    print_histogram(b);
    printf("\nCPU time %.3f ms a run, peak memory %s, activations %s\n",
           (double)b->cpu_ns / 1e6 / (double)b->n,
           text_bytes((double)hst_peak_rss_bytes(), rss, sizeof rss),
           text_bytes((double)c->info.arena_bytes, arena, sizeof arena));
    if (c->source == SOURCE_RANDOM)
        printf(
            "note: the input is random numbers; real inputs can be slower or faster\n");
    if (!b->stats.stable)
        printf(
            "note: the medians of the last three windows differ by more than 10 %%: the "
            "machine or the load is not steady\n");
}

static void print_json(const bench *b, const char *model) {
    static const char *const names[HST_PERCENTILES] = {"p50", "p90", "p95", "p99",
                                                       "p99.9"};
    const chain *c = &b->chain;
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "model", model);
    cJSON_AddStringToObject(j, "input", source_text(c));
    cJSON_AddNumberToObject(j, "threads", c->info.threads);
    cJSON_AddStringToObject(j, "cpu", hst_cpu_name(c->info.cpu));
    cJSON_AddNumberToObject(j, "n", (double)b->n);
    cJSON_AddNumberToObject(j, "warmup_n", (double)b->warmup_n);
    cJSON_AddBoolToObject(j, "warmup_settled", b->settled);
    cJSON_AddNumberToObject(j, "load_ms", ms(c->load_ns));
    cJSON_AddNumberToObject(j, "plan_ms", ms(c->info.plan_ns));
    cJSON_AddNumberToObject(j, "first_ms", ms(c->first_ns));
    cJSON *latency = cJSON_AddObjectToObject(j, "latency_ms");
    cJSON *intervals = cJSON_AddObjectToObject(j, "intervals_ms");
    cJSON *needed = cJSON_AddObjectToObject(j, "samples_needed");
    cJSON_AddNumberToObject(latency, "min", ms(b->stats.min));
    cJSON_AddNumberToObject(latency, "mean", b->stats.mean / 1e6);
    for (int i = 0; i < HST_PERCENTILES; i++) {
        const hst_percentile *p = &b->stats.percentiles[i];
        text_json_optional(latency, names[i], p->carried, ms(p->value));
        if (p->carried) {
            double both[2] = {ms(p->low), ms(p->high)};
            cJSON_AddItemToObject(intervals, names[i], cJSON_CreateDoubleArray(both, 2));
        } else {
            cJSON_AddNumberToObject(needed, names[i], (double)p->samples_needed);
        }
    }
    cJSON_AddNumberToObject(latency, "max", ms(b->stats.max));
    cJSON_AddBoolToObject(j, "stable", b->stats.stable);
    cJSON_AddNumberToObject(j, "peak_rss_mb", (double)hst_peak_rss_bytes() / 1e6);
    cJSON_AddNumberToObject(j, "arena_mb", (double)c->info.arena_bytes / 1e6);
    cJSON_AddNumberToObject(j, "cpu_seconds_per_run",
                            (double)b->cpu_ns / 1e9 / (double)b->n);
    text_json_print(j);
}

int cli_run_bench(cli_args *args) {
    bench b = {0};
    hst_error err = {0};
    uint64_t duration = cli_duration(args, OPT_DURATION, 5000000000u);
    size_t count = (size_t)cli_int(args, OPT_COUNT, 0, 1, SAMPLES_MAX);
    if (args->n_positional > 2)
        return cli_usage(args->command, "at most one IMAGE is expected");
    if (cli_given(args, OPT_COUNT) && cli_given(args, OPT_DURATION))
        return cli_usage(args->command, "--count or --duration is expected, not both");
    const char *image = args->n_positional == 2 ? args->positional[1] : NULL;
    hst_status st = chain_open(&b.chain, args, &err);
    if (!st)
        st = chain_first(&b.chain, image, &err);
    if (!st)
        st = warm_up(&b, &err);
    if (!st)
        st = measure(&b, duration, count, &err);
    if (!st && cli_given(args, OPT_JSON))
        print_json(&b, args->shown[0]);
    else if (!st)
        print_text(&b, args->shown[0]);
    int status = st ? cli_fail(args, &err) : EXIT_DONE;
    chain_close(&b.chain);
    free(b.samples);
    return status;
}
