/* hasten doctor: is this machine fit to measure. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "cli.h"
#include "text.h"

/** The smallest relative difference that this noise lets a comparison see: a median of a
 * minute's runs wanders by far less than a single run, but not by less than this. */
static double resolvable(const hst_machine *m) {
    double noise = m->noise_p50 > 0.002 ? m->noise_p50 : 0.002;
    return noise + 0.05 * m->noise_p99;
}

static void print_size(const char *name, int64_t bytes) {
    if (bytes > 0)
        printf("  %-22s %.0f kB\n", name, (double)bytes / 1024);
}

static void print_advice(const hst_machine *m) {
    int lines = 0;
    if (m->governor[0] && strcmp(m->governor, "performance") != 0)
        lines +=
            printf("  - the frequency governor is '%s': `performance` keeps the clock "
                   "steady\n",
                   m->governor) > 0;
    if (m->smt == 1)
        lines +=
            printf("  - cores are shared by sibling threads: use at most one thread a "
                   "core (--threads)\n") > 0;
    if (m->quota_cpus > 0 && m->quota_cpus < m->affinity_cpus)
        lines += printf("  - the cgroup allows %.2f CPUs of %d: threads beyond that are "
                        "throttled\n",
                        m->quota_cpus, m->affinity_cpus) > 0;
    if (m->steal_share > 0.005)
        lines += printf("  - the hypervisor took %.1f %% of the time away: tails are not "
                        "this program's\n",
                        100 * m->steal_share) > 0;
    if (m->load_average > 0.5 * m->usable_threads)
        lines += printf("  - other work keeps %.1f CPUs busy: stop it before measuring\n",
                        m->load_average) > 0;
    if (m->noise_p99 > 0.05)
        lines +=
            printf("  - one run in a hundred of a fixed 1 ms loop takes %.0f %% longer: "
                   "trust medians, not tails\n",
                   100 * m->noise_p99) > 0;
    if (lines == 0)
        printf("  nothing stands in the way\n");
}

static void print_text(const hst_machine *m) {
    printf("machine\n  %-22s %s\n  %-22s %s%s\n", "CPU", m->cpu_model, "level",
           hst_cpu_name(m->level), m->bf16 ? " + bf16" : "");
    printf("  %-22s %d of %d (affinity), ", "CPUs", m->affinity_cpus, m->online_cpus);
    if (m->quota_cpus > 0)
        printf("cgroup quota %.2f", m->quota_cpus);
    else
        printf("no cgroup quota");
    printf("; %d threads usable\n", m->usable_threads);
    print_size("L1 data", m->l1d_bytes);
    print_size("L2", m->l2_bytes);
    print_size("L3", m->l3_bytes);
    printf("  %-22s %s\n", "governor", m->governor[0] ? m->governor : "not visible");
    printf("  %-22s %s, %.0f ns a read\n", "clock", m->clock_source, m->clock_read_ns);
    printf("  %-22s %s\n", "huge pages", m->huge_pages[0] ? m->huge_pages : "unknown");
    printf("measured\n  %-22s %.1f GFLOP/s (one core), %.1f (all threads)\n", "f32",
           m->f32_gflops, m->f32_gflops_all);
    printf("  %-22s %.1f GOP/s (one core)\n", "int8", m->int8_gops);
    printf("  %-22s L1 %.0f, L2 %.0f, memory %.0f GB/s (one core)\n", "reading",
           m->l1_gbs, m->l2_gbs, m->memory_gbs);
    printf("  %-22s p50 +%.1f %%, p99 +%.1f %%, max +%.0f %% over the fastest run\n",
           "noise of a 1 ms loop", 100 * m->noise_p50, 100 * m->noise_p99,
           100 * m->noise_max);
    printf("verdict\n  differences of %.1f %% and more can be told apart here\n",
           100 * resolvable(m));
    print_advice(m);
}

static void print_json(const hst_machine *m) {
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "cpu_model", m->cpu_model);
    cJSON_AddStringToObject(j, "cpu", hst_cpu_name(m->level));
    cJSON_AddBoolToObject(j, "bf16", m->bf16);
    cJSON_AddNumberToObject(j, "online_cpus", m->online_cpus);
    cJSON_AddNumberToObject(j, "affinity_cpus", m->affinity_cpus);
    text_json_optional(j, "quota_cpus", m->quota_cpus > 0, m->quota_cpus);
    cJSON_AddNumberToObject(j, "usable_threads", m->usable_threads);
    cJSON_AddStringToObject(j, "governor", m->governor);
    cJSON_AddStringToObject(j, "clock_source", m->clock_source);
    cJSON_AddNumberToObject(j, "clock_read_ns", m->clock_read_ns);
    cJSON_AddNumberToObject(j, "l1d_bytes", (double)m->l1d_bytes);
    cJSON_AddNumberToObject(j, "l2_bytes", (double)m->l2_bytes);
    cJSON_AddNumberToObject(j, "l3_bytes", (double)m->l3_bytes);
    cJSON_AddStringToObject(j, "huge_pages", m->huge_pages);
    cJSON_AddNumberToObject(j, "f32_gflops", m->f32_gflops);
    cJSON_AddNumberToObject(j, "f32_gflops_all", m->f32_gflops_all);
    cJSON_AddNumberToObject(j, "int8_gops", m->int8_gops);
    cJSON_AddNumberToObject(j, "l1_gbs", m->l1_gbs);
    cJSON_AddNumberToObject(j, "l2_gbs", m->l2_gbs);
    cJSON_AddNumberToObject(j, "memory_gbs", m->memory_gbs);
    cJSON *noise = cJSON_AddObjectToObject(j, "noise");
    cJSON_AddNumberToObject(noise, "p50", m->noise_p50);
    cJSON_AddNumberToObject(noise, "p99", m->noise_p99);
    cJSON_AddNumberToObject(noise, "max", m->noise_max);
    text_json_optional(j, "steal_share", m->steal_share >= 0, m->steal_share);
    cJSON_AddNumberToObject(j, "load_average", m->load_average);
    cJSON_AddNumberToObject(j, "resolvable", resolvable(m));
    text_json_print(j);
}

int cli_run_doctor(cli_args *args) {
    hst_machine m;
    hst_error err = {0};
    double seconds = cli_double(args, OPT_SECONDS, 2, 0.5, 10);
    if (hst_machine_measure(seconds, &m, &err))
        return cli_fail(args, &err);
    if (cli_given(args, OPT_JSON))
        print_json(&m);
    else
        print_text(&m);
    return EXIT_DONE;
}
