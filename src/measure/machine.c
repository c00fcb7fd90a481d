/* What the machine says of itself: files under /proc and /sys. */
#include "measure/machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/pool.h"

/** First line of a file without its newline; "" where it cannot be read. */
static void read_line(const char *path, char *out, size_t size) {
    FILE *f = fopen(path, "re");
    out[0] = 0;
    if (!f)
        return;
    if (!fgets(out, (int)size, f))
        out[0] = 0;
    fclose(f);
    out[strcspn(out, "\n")] = 0;
}

static void read_cpu_model(hst_machine *m) {
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!value)
            continue;
        value += 1 + strspn(value + 1, " ");
        value[strcspn(value, "\n")] = 0;
        snprintf(m->cpu_model, sizeof m->cpu_model, "%.95s", value);
        break;
    }
    fclose(f);
}

static int64_t cache_bytes(int level, const char *type) {
    for (int i = 0; i < 8; i++) {
        char path[128], text[32];
        long size;
        int found;
        char unit = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level",
                 i);
        read_line(path, text, sizeof text);
        if (sscanf(text, "%d", &found) != 1 || found != level)
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        read_line(path, text, sizeof text);
        if (strcmp(text, type) != 0)
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        read_line(path, text, sizeof text);
        if (sscanf(text, "%ld%c", &size, &unit) >= 1)
            return (int64_t)size * (unit == 'K' ? 1024 : unit == 'M' ? 1024 * 1024 : 1);
    }
    return 0;
}

/** The word in brackets of "always [madvise] never". */
static void read_huge_pages(hst_machine *m) {
    char line[64];
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    char *from = strchr(line, '['), *to = from ? strchr(from, ']') : NULL;
    if (to)
        snprintf(m->huge_pages, sizeof m->huge_pages, "%.*s", (int)(to - from - 1),
                 from + 1);
}

static void read_quota(hst_machine *m) {
    long long quota, period;
    char line[64];
    read_line("/sys/fs/cgroup/cpu.max", line, sizeof line);
    if (sscanf(line, "%lld %lld", &quota, &period) == 2 && period > 0)
        m->quota_cpus = (double)quota / (double)period;
}

void hst__machine_describe(hst_machine *m) {
    char line[64];
    cpu_set_t mask;
    read_cpu_model(m);
    m->level = hst__cpu_detect();
    m->bf16 = hst__cpu_has_bf16();
    m->online_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    m->affinity_cpus =
        sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
    m->usable_threads = hst__pool_default_threads();
    read_quota(m);
    read_line("/sys/devices/system/cpu/smt/active", line, sizeof line);
    m->smt = line[0] == '1' ? 1 : line[0] == '0' ? 0 : -1;
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", m->governor,
              sizeof m->governor);
    read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
              m->clock_source, sizeof m->clock_source);
    m->l1d_bytes = cache_bytes(1, "Data");
    m->l2_bytes = cache_bytes(2, "Unified");
    m->l3_bytes = cache_bytes(3, "Unified");
    read_huge_pages(m);
    read_line("/proc/loadavg", line, sizeof line);
    if (sscanf(line, "%lf", &m->load_average) != 1)
        m->load_average = 0;
}

double hst__machine_steal(double *total) {
    unsigned long long t[8] = {0};
    char line[256];
    read_line("/proc/stat", line, sizeof line);
    if (sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2],
               &t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
        return -1;
    *total = 0;
    for (int i = 0; i < 8; i++)
        *total += (double)t[i];
    return (double)t[7];
}
