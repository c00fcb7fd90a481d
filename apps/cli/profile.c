/* hasten profile: where every millisecond goes. */
#include "profile.h"

#include <stdlib.h>

#include "text.h"

enum {
    RUNS_MIN = 5,
    RUNS_MAX = 1000000,
    LAYER_RUNS_MAX = 200,
    WARMUP_RUNS = 3,
    TIMES_MAX = 1 << 24, /**< times of layers that are kept */
};

static const uint64_t budget_ns = 3000000000u; /* for each of the two parts */

static hst_status no_memory(hst_error *err) {
    return text_error(err, HST_E_NOMEM, "out of memory for samples");
}

static hst_status run_once(profile *p, const char *image, uint64_t *stages,
                           uint64_t *total, hst_error *err) {
    for (int i = 0; i < HST_STAGE_COUNT; i++)
        stages[i] = 0;
    uint64_t start = hst_clock_ns();
    hst_status st = chain_load(&p->chain, image, stages, err);
    if (!st)
        st = chain_infer(&p->chain, stages, err);
    if (!st)
        st = chain_finish(&p->chain, stages, err);
    *total = hst_clock_ns() - start;
    return st;
}

/** How many runs fit the budget, from the time of one. */
static size_t runs_for(uint64_t one_ns, size_t least, size_t most) {
    size_t n = (size_t)(budget_ns / (one_ns ? one_ns : 1));
    return n < least ? least : n > most ? most : n;
}

static bool reserve(profile *p) {
    bool ok = true;
    for (int i = 0; i < HST_STAGE_COUNT; i++)
        ok &= (p->stage_ns[i] = calloc(p->runs, sizeof(uint64_t))) != NULL;
    p->other_ns = calloc(p->runs, sizeof(uint64_t));
    p->total_ns = calloc(p->runs, sizeof(uint64_t));
    return ok && p->other_ns && p->total_ns;
}

/** Whole runs through all photographs in turn, each stage on the clock. */
static hst_status time_stages(profile *p, cli_args *args, hst_error *err) {
    char **images = args->positional + 1;
    size_t n_images = (size_t)args->n_positional - 1;
    uint64_t stages[HST_STAGE_COUNT], total = 0;
    hst_status st = HST_OK;
    for (size_t i = 0; !st && i < WARMUP_RUNS + n_images; i++)
        st = run_once(p, n_images ? images[i % n_images] : NULL, stages, &total, err);
    p->runs = (size_t)cli_int(args, OPT_RUNS, (long)runs_for(total, RUNS_MIN, 2000), 1,
                              RUNS_MAX);
    if (!st && !reserve(p))
        st = no_memory(err);
    for (size_t r = 0; !st && r < p->runs; r++) {
        st = run_once(p, n_images ? images[r % n_images] : NULL, stages, &p->total_ns[r],
                      err);
        uint64_t sum = 0;
        for (int i = 0; i < HST_STAGE_COUNT; i++) {
            p->stage_ns[i][r] = stages[i];
            sum += stages[i];
        }
        p->other_ns[r] = p->total_ns[r] > sum ? p->total_ns[r] - sum : 0;
        if (text_progress() && r % 16 == 0)
            fprintf(stderr, "\rstages %3.0f %%", 100.0 * (double)r / (double)p->runs);
    }
    for (int i = 0; !st && i < HST_STAGE_COUNT; i++)
        st = hst_stats_compute(p->stage_ns[i], p->runs, &p->stages[i], err);
    if (!st)
        st = hst_stats_compute(p->other_ns, p->runs, &p->other, err);
    return st ? st : hst_stats_compute(p->total_ns, p->runs, &p->total, err);
}

static hst_status list_layers(profile *p, hst_error *err) {
    p->layers = calloc(p->chain.info.steps + 1, sizeof *p->layers);
    if (!p->layers)
        return no_memory(err);
    for (size_t i = 0; i < p->chain.info.steps; i++) {
        profile_layer *l = &p->layers[p->n_layers];
        hst_status st = hst_session_get_step(p->chain.session, i, &l->step, err);
        if (st)
            return st;
        l->index = i;
        p->n_layers += !l->step.view;
    }
    return HST_OK;
}

/** The layers are timed in runs of their own: two clock reads a layer would disturb the
 * end-to-end times. */
static hst_status time_layers(profile *p, hst_error *err) {
    size_t steps = p->chain.info.steps;
    uint64_t inference = p->stages[HST_STAGE_INFERENCE].percentiles[0].value;
    size_t runs = runs_for(inference, RUNS_MIN, LAYER_RUNS_MAX);
    while (runs > 1 && steps * runs > TIMES_MAX)
        runs /= 2;
    hst_status st = list_layers(p, err);
    uint64_t *times = calloc(steps * runs + 1, sizeof *times);
    uint64_t *column = calloc(runs, sizeof *column);
    if (!st && (!times || !column))
        st = no_memory(err);
    for (size_t r = 0; !st && r < runs; r++)
        st = hst_session_run_timed(p->chain.session, p->chain.inputs, p->chain.n_inputs,
                                   times + r * steps, err);
    for (size_t i = 0; !st && i < p->n_layers; i++) {
        hst_stats s;
        for (size_t r = 0; r < runs; r++)
            column[r] = times[r * steps + p->layers[i].index];
        st = hst_stats_compute(column, runs, &s, err);
        p->layers[i].ns = s.percentiles[0].value;
        p->layers[i].last = column[runs - 1];
        p->layer_sum_ns += p->layers[i].ns;
    }
    p->layer_runs = runs;
    free(times);
    free(column);
    return st;
}

static void close_profile(profile *p) {
    chain_close(&p->chain);
    for (int i = 0; i < HST_STAGE_COUNT; i++)
        free(p->stage_ns[i]);
    free(p->other_ns);
    free(p->total_ns);
    free(p->layers);
}

int cli_run_profile(cli_args *args) {
    profile p = {.model = args->shown[0]};
    hst_error err = {0};
    size_t shown = (size_t)cli_int(args, OPT_LAYERS, 20, 0, 100000);
    hst_status st = chain_open(&p.chain, args, &err);
    if (!st)
        st = chain_first(&p.chain, args->n_positional > 1 ? args->positional[1] : NULL,
                         &err);
    if (!st)
        st = time_stages(&p, args, &err);
    if (!st)
        st = time_layers(&p, &err);
    if (text_progress())
        fprintf(stderr, "\r\033[K");
    if (!st && cli_given(args, OPT_TRACE))
        st = profile_write_trace(&p, args->text[OPT_TRACE], &err);
    if (!st && cli_given(args, OPT_JSON))
        profile_print_json(&p);
    else if (!st)
        profile_print_text(&p, shown);
    int status = st ? cli_fail(args, &err) : EXIT_DONE;
    close_profile(&p);
    return status;
}
