#include <stdlib.h>

#include "hasten/measure.h"
#include "support/test.h"

static void percentile_is_the_ceiling_rank(void **state) {
    (void)state;
    uint64_t sorted[100];
    for (uint64_t i = 0; i < 100; i++)
        sorted[i] = i + 1;
    assert_int_equal(hst_stats_percentile(sorted, 100, 0.5).value, 50);
    assert_int_equal(hst_stats_percentile(sorted, 100, 0.9).value, 90);
    assert_int_equal(hst_stats_percentile(sorted, 100, 0.99).value, 99);
    assert_int_equal(hst_stats_percentile(sorted, 1, 0.5).value, 1);
    assert_int_equal(hst_stats_percentile(sorted, 3, 0.5).value, 2);
}

/** The smallest samples with p^n <= 1 %, worked out by hand. */
static void says_how_many_samples_it_needs(void **state) {
    (void)state;
    static const struct {
        double p;
        size_t n;
    } cases[] = {{0.5, 7}, {0.9, 44}, {0.95, 90}, {0.99, 459}, {0.999, 4603}};
    uint64_t *sorted = calloc(5000, sizeof *sorted);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(hst_stats_percentile(sorted, 10, cases[i].p).samples_needed,
                         cases[i].n);
        assert_false(hst_stats_percentile(sorted, cases[i].n - 1, cases[i].p).carried);
        assert_true(hst_stats_percentile(sorted, cases[i].n, cases[i].p).carried);
    }
    free(sorted);
}

/** Binomial(100, 0.5): the 95 % interval of the median is the 40th to the 61st value. */
static void interval_of_the_median(void **state) {
    (void)state;
    uint64_t sorted[100];
    for (uint64_t i = 0; i < 100; i++)
        sorted[i] = i + 1;
    hst_percentile p = hst_stats_percentile(sorted, 100, 0.5);
    assert_int_equal(p.low, 40);
    assert_int_equal(p.high, 61);
}

/** 400 samples of 200 from a uniform law: the interval holds the true p90 about 95 %. */
static void interval_covers_the_truth(void **state) {
    (void)state;
    uint64_t seed = 42, sample[200];
    int covered = 0;
    for (int round = 0; round < 400; round++) {
        hst_stats s;
        hst_error err;
        for (int i = 0; i < 200; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            sample[i] = (seed >> 33) % 1000000;
        }
        assert_ok(hst_stats_compute(sample, 200, &s, &err), &err);
        covered += s.percentiles[1].low <= 900000 && 900000 <= s.percentiles[1].high;
    }
    assert_in_range(covered, 368, 396);
}

static void mean_and_spread(void **state) {
    (void)state;
    const uint64_t samples[] = {2, 4, 4, 4, 5, 5, 7, 9};
    hst_stats s;
    hst_error err;
    assert_ok(hst_stats_compute(samples, 8, &s, &err), &err);
    assert_close(s.mean, 5.0, 1e-12);
    assert_close(s.stddev, 2.13808993529939, 1e-9);
    assert_int_equal(s.min, 2);
    assert_int_equal(s.max, 9);
    assert_int_equal(hst_stats_compute(samples, 0, &s, &err), HST_E_ARG);
}

static void warmup_ends_where_it_settles(void **state) {
    (void)state;
    uint64_t samples[60];
    for (int i = 0; i < 60; i++)
        samples[i] = i < 12 ? 3000 - 150 * (uint64_t)i : 1000 + (uint64_t)(i * 7 % 11);
    assert_in_range(hst_stats_warmup(samples, 60, 5), 8, 13);
    for (int i = 0; i < 60; i++)
        samples[i] = 1000;
    assert_int_equal(hst_stats_warmup(samples, 60, 5), 0);
    for (int i = 0; i < 60; i++)
        samples[i] = 100u << (i / 4);
    assert_int_equal(hst_stats_warmup(samples, 60, 5), 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentile_is_the_ceiling_rank),
        cmocka_unit_test(says_how_many_samples_it_needs),
        cmocka_unit_test(interval_of_the_median),
        cmocka_unit_test(interval_covers_the_truth),
        cmocka_unit_test(mean_and_spread),
        cmocka_unit_test(warmup_ends_where_it_settles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
