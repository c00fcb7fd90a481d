/* The two tables of profile, as text, JSON and trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "text.h"

enum { BAR = 24 };

static double ms(uint64_t ns) { return (double)ns / 1e6; }
static uint64_t p50(const hst_stats *s) { return s->percentiles[0].value; }
static const hst_percentile *p99(const hst_stats *s) { return &s->percentiles[3]; }

static void print_stage(const char *name, const hst_stats *s, const hst_stats *total) {
    char bar[3 * BAR + 1], tail[24] = "       -";
    double share = total->mean > 0 ? s->mean / total->mean : 0;
    if (p99(s)->carried)
        snprintf(tail, sizeof tail, "%8.3f", ms(p99(s)->value));
    printf("  %-18s %8.3f  %s  %5.1f %%  %s\n", name, ms(p50(s)), tail, 100 * share,
           text_bar(share, BAR, bar));
}

static void print_stages(const profile *p) {
    printf("%-20s %8s  %8s  %7s\n", "stage", "p50 ms", "p99 ms", "share of mean");
    for (int i = 0; i < HST_STAGE_COUNT; i++)
        if (p->stages[i].max > 0)
            print_stage(hst_stage_name((hst_stage)i), &p->stages[i], &p->total);
    print_stage("other", &p->other, &p->total);
    print_stage("total", &p->total, &p->total);
    if (!p99(&p->total)->carried)
        printf("  (p99 needs %zu runs, these are %zu: --runs)\n",
               p99(&p->total)->samples_needed, p->runs);
}

static int slower_first(const void *pa, const void *pb) {
    const profile_layer *a = *(const profile_layer *const *)pa;
    const profile_layer *b = *(const profile_layer *const *)pb;
    if (a->ns != b->ns)
        return a->ns < b->ns ? 1 : -1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void op_text(const hst_step_info *s, char *out, size_t size) {
    snprintf(out, size, "%s%s%s", s->op, s->fused[0] ? "+" : "", s->fused);
}

/** The end of a long name says more than its beginning. */
static const char *short_name(const char *name, char *out, size_t size) {
    size_t n = strlen(name);
    snprintf(out, size, "%s%s", n < size ? "" : "..",
             n < size ? name : name + n - size + 3);
    return out;
}

static void print_layer(const profile *p, const profile_layer *l) {
    char name[27], shape[128], op[48], rate[16] = "";
    double share = p->layer_sum_ns ? (double)l->ns / (double)p->layer_sum_ns : 0;
    op_text(&l->step, op, sizeof op);
    if (l->step.macs > 0 && l->ns > 0)
        snprintf(rate, sizeof rate, "%.1f", 2 * l->step.macs / (double)l->ns);
    printf("  %-26s %-20.20s %-26.26s %-22.22s %8.3f %6.1f %9.3f %8s\n",
           short_name(l->step.name, name, sizeof name), op, l->step.kernel,
           text_shape(&l->step.output, NULL, shape, sizeof shape), ms(l->ns), 100 * share,
           l->step.macs / 1e6, rate);
}

static void print_layers(const profile *p, size_t shown) {
    const profile_layer **order = calloc(p->n_layers + 1, sizeof *order);
    if (!order)
        return;
    for (size_t i = 0; i < p->n_layers; i++)
        order[i] = &p->layers[i];
    size_t n = shown == 0 || shown > p->n_layers ? p->n_layers : shown;
    if (shown)
        qsort(order, p->n_layers, sizeof *order, slower_first);
    printf("\n  %-26s %-20s %-26s %-22s %8s %6s %9s %8s\n", "layer", "operator", "kernel",
           "output", "ms", "%", "MMAC", "GFLOP/s");
    for (size_t i = 0; i < n; i++)
        print_layer(p, order[i]);
    if (n < p->n_layers)
        printf("  ... %zu faster layers (--layers 0 lists all)\n", p->n_layers - n);
    uint64_t inference = p50(&p->stages[HST_STAGE_INFERENCE]);
    printf("  layers together %.3f ms, timed apart from the runs above (%zu runs); the "
           "inference "
           "stage took %.3f ms (difference %+.1f %%)\n",
           ms(p->layer_sum_ns), p->layer_runs, ms(inference),
           inference ? 100 * ((double)p->layer_sum_ns / (double)inference - 1) : 0.0);
    free(order);
}

void profile_print_text(const profile *p, size_t shown) {
    const chain *c = &p->chain;
    printf("%s, %d threads, %s, %zu runs\n", p->model, c->info.threads,
           hst_cpu_name(c->info.cpu), p->runs);
    printf("load %.1f ms, plan %.1f ms, first run %.1f ms\n\n", ms(c->load_ns),
           ms(c->info.plan_ns), ms(c->first_ns));
    print_stages(p);
    print_layers(p, shown);
    if (c->info.dynamic)
        printf(
            "note: shapes depend on data; the nodes that wait for it are evaluated one "
            "by one behind these layers and not timed apart\n");
    if (c->source == SOURCE_RANDOM)
        printf(
            "note: the input is random numbers; give a photograph or --input to profile "
            "the whole chain\n");
}

static cJSON *stats_json(const hst_stats *s, double total_mean) {
    cJSON *j = cJSON_CreateObject();
    cJSON_AddNumberToObject(j, "p50_ms", ms(p50(s)));
    text_json_optional(j, "p99_ms", p99(s)->carried, ms(p99(s)->value));
    cJSON_AddNumberToObject(j, "mean_ms", s->mean / 1e6);
    cJSON_AddNumberToObject(j, "min_ms", ms(s->min));
    cJSON_AddNumberToObject(j, "max_ms", ms(s->max));
    cJSON_AddNumberToObject(j, "share", total_mean > 0 ? s->mean / total_mean : 0);
    return j;
}

static cJSON *layer_json(const profile *p, const profile_layer *l) {
    cJSON *j = cJSON_CreateObject(), *dims = cJSON_CreateArray();
    cJSON_AddStringToObject(j, "name", l->step.name);
    cJSON_AddStringToObject(j, "op", l->step.op);
    cJSON_AddStringToObject(j, "activation", l->step.fused);
    cJSON_AddStringToObject(j, "kernel", l->step.kernel);
    for (int k = 0; k < l->step.output.rank; k++)
        cJSON_AddItemToArray(dims, cJSON_CreateNumber((double)l->step.output.dims[k]));
    cJSON_AddItemToObject(j, "shape", dims);
    cJSON_AddNumberToObject(j, "ms", ms(l->ns));
    cJSON_AddNumberToObject(
        j, "share", p->layer_sum_ns ? (double)l->ns / (double)p->layer_sum_ns : 0);
    cJSON_AddNumberToObject(j, "macs", l->step.macs);
    cJSON_AddNumberToObject(j, "gflops", l->ns ? 2 * l->step.macs / (double)l->ns : 0);
    return j;
}

void profile_print_json(const profile *p) {
    const chain *c = &p->chain;
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "model", p->model);
    cJSON_AddNumberToObject(j, "threads", c->info.threads);
    cJSON_AddStringToObject(j, "cpu", hst_cpu_name(c->info.cpu));
    cJSON_AddNumberToObject(j, "runs", (double)p->runs);
    cJSON_AddNumberToObject(j, "load_ms", ms(c->load_ns));
    cJSON_AddNumberToObject(j, "plan_ms", ms(c->info.plan_ns));
    cJSON_AddNumberToObject(j, "first_ms", ms(c->first_ns));
    cJSON *stages = cJSON_AddObjectToObject(j, "stages");
    for (int i = 0; i < HST_STAGE_COUNT; i++)
        cJSON_AddItemToObject(stages, hst_stage_name((hst_stage)i),
                              stats_json(&p->stages[i], p->total.mean));
    cJSON_AddItemToObject(stages, "other", stats_json(&p->other, p->total.mean));
    cJSON_AddItemToObject(j, "total", stats_json(&p->total, p->total.mean));
    cJSON *layers = cJSON_AddArrayToObject(j, "layers");
    for (size_t i = 0; i < p->n_layers; i++)
        cJSON_AddItemToArray(layers, layer_json(p, &p->layers[i]));
    cJSON_AddNumberToObject(j, "layer_sum_ms", ms(p->layer_sum_ns));
    text_json_print(j);
}

static void add_event(cJSON *events, const char *name, const char *category,
                      double start_us, double us, cJSON *args) {
    cJSON *e = cJSON_CreateObject();
    cJSON_AddStringToObject(e, "name", name);
    cJSON_AddStringToObject(e, "cat", category);
    cJSON_AddStringToObject(e, "ph", "X");
    cJSON_AddNumberToObject(e, "ts", start_us);
    cJSON_AddNumberToObject(e, "dur", us);
    cJSON_AddNumberToObject(e, "pid", 1);
    cJSON_AddNumberToObject(e, "tid", 1);
    if (args)
        cJSON_AddItemToObject(e, "args", args);
    cJSON_AddItemToArray(events, e);
}

/** One run as nested slices: the stages of the last run, the layers inside inference. */
static cJSON *trace(const profile *p) {
    cJSON *j = cJSON_CreateObject(), *events = cJSON_AddArrayToObject(j, "traceEvents");
    size_t last = p->runs - 1;
    double at = 0, layers = 0;
    for (size_t i = 0; i < p->n_layers; i++)
        layers += (double)p->layers[i].last / 1e3;
    add_event(events, "run", "chain", 0, (double)p->total_ns[last] / 1e3, NULL);
    for (int i = 0; i < HST_STAGE_COUNT; i++) {
        double us = (double)p->stage_ns[i][last] / 1e3;
        if (us > 0)
            add_event(events, hst_stage_name((hst_stage)i), "stage", at, us, NULL);
        double inner = at,
               scale = i == HST_STAGE_INFERENCE && layers > us ? us / layers : 1;
        for (size_t k = 0; i == HST_STAGE_INFERENCE && k < p->n_layers; k++) {
            double layer_us = (double)p->layers[k].last / 1e3 * scale;
            const hst_step_info *s = &p->layers[k].step;
            add_event(events, s->name[0] ? s->name : s->op, "layer", inner, layer_us,
                      layer_json(p, &p->layers[k]));
            inner += layer_us;
        }
        at += us;
    }
    cJSON_AddStringToObject(j, "displayTimeUnit", "ms");
    return j;
}

hst_status profile_write_trace(const profile *p, const char *path, hst_error *err) {
    cJSON *j = trace(p);
    char *text = cJSON_PrintUnformatted(j);
    FILE *f = text ? fopen(path, "we") : NULL;
    bool ok = f && fputs(text, f) >= 0;
    if (f)
        ok = fclose(f) == 0 && ok;
    free(text);
    cJSON_Delete(j);
    if (ok)
        return HST_OK;
    return text_error(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
}
