/* How many threads the process may use: affinity mask and cgroup quota, never the host's
 * core count. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"

/** Quota of one cgroup folder in CPUs, rounded up; 0 where there is none. */
static int quota_v2(const char *folder) {
    char path[512];
    long long quota, period;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", folder);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    int got = fscanf(f, "%lld %lld", &quota, &period); /* "max 100000" gives 0 */
    fclose(f);
    return got == 2 && quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

static long long read_number(const char *folder, const char *file) {
    char path[512];
    long long value = -1;
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/%s", folder, file);
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    if (fscanf(f, "%lld", &value) != 1)
        value = -1;
    fclose(f);
    return value;
}

static int quota_v1(const char *folder) {
    long long quota = read_number(folder, "cpu.cfs_quota_us");
    long long period = read_number(folder, "cpu.cfs_period_us");
    return quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

/** The smallest quota from the process's own folder up to the root. */
static int smallest(char *folder, int (*quota)(const char *)) {
    int best = 0;
    for (;;) {
        int q = quota(folder);
        if (q > 0 && (best == 0 || q < best))
            best = q;
        char *slash = strrchr(folder, '/');
        if (!slash)
            return best;
        *slash = 0;
    }
}

static int cgroup_quota(void) {
    char line[400];
    int best = 0;
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *folder = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!folder)
            continue;
        *folder++ = 0;
        int q = 0;
        if (controllers[1] == 0)
            q = smallest(folder, quota_v2);
        else if (strstr(controllers + 1, "cpu") && !strstr(controllers + 1, "cpuset"))
            q = smallest(folder, quota_v1);
        if (q > 0 && (best == 0 || q < best))
            best = q;
    }
    fclose(f);
    return best;
}

int hst__pool_default_threads(void) {
    cpu_set_t mask;
    int n = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
    int quota = cgroup_quota();
    if (quota > 0 && quota < n)
        n = quota;
    return n < 1 ? 1 : n > HST__POOL_MAX ? HST__POOL_MAX : n;
}
