/* The program: sweeps the families over the CPU levels of this machine. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "state.h"

static const struct {
    const char *name;
    void (*check)(kcheck *k);
} families[] = {
#define KCHECK_FAMILY(name) {#name, check_##name},
#include "families.def"
#undef KCHECK_FAMILY
    {NULL, NULL},
};

static kc_state state;
static kcheck self = {.state = &state};
static struct sigaction old_segv, old_bus, old_fpe, old_ill;

/* A crash names its case, then takes its ordinary course (sanitizer, core, status). */
static void on_crash(int sig) {
    char text[512];
    int n = snprintf(text, sizeof text, "CRASH (signal %d) %s %s: %s (seed %llu)\n", sig,
                     self.family, hst_cpu_name(self.level), state.label,
                     (unsigned long long)self.seed);
    if (write(STDOUT_FILENO, text, (size_t)n) < 0)
        _exit(4);
    sigaction(SIGSEGV, &old_segv, NULL);
    sigaction(SIGBUS, &old_bus, NULL);
    sigaction(SIGFPE, &old_fpe, NULL);
    sigaction(SIGILL, &old_ill, NULL);
}

static void watch_crashes(void) {
    struct sigaction action = {.sa_handler = on_crash};
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
    sigaction(SIGFPE, &action, &old_fpe);
    sigaction(SIGILL, &action, &old_ill);
}

typedef struct options {
    const char *family;  /**< NULL: all */
    hst_cpu_level level; /**< AUTO: all of this machine */
} options;

static const char usage[] =
    "usage: kcheck [--family NAME] [--cpu LEVEL] [--seed N] [--long] [--bench] [--list]\n"
    "  checks every kernel at every CPU level of this machine against its reference\n"
    "  example: kcheck --family softmax --cpu avx2 --bench\n";

static int wrong_usage(const char *what, const char *value) {
    fprintf(stderr, "kcheck: %s '%s'\n%s", what, value, usage);
    return 2;
}

/* -1: go on; else the exit status. */
static int parse(int argc, char **argv, options *o) {
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        hst_error err;
        if (!strcmp(arg, "--bench")) {
            self.bench = true;
        } else if (!strcmp(arg, "--long")) {
            self.thorough = true;
        } else if (!strcmp(arg, "--list")) {
            for (int f = 0; families[f].name; f++)
                printf("%s\n", families[f].name);
            return 0;
        } else if (!strcmp(arg, "--help")) {
            printf("%s", usage);
            return 0;
        } else if (!strcmp(arg, "--family") && value) {
            o->family = argv[++i];
        } else if (!strcmp(arg, "--cpu") && value) {
            if (hst_cpu_parse(argv[++i], &o->level, &err))
                return wrong_usage("no such CPU level:", value);
        } else if (!strcmp(arg, "--seed") && value) {
            char *end;
            self.seed = strtoull(argv[++i], &end, 0);
            if (end == value || *end)
                return wrong_usage("not a number:", value);
        } else {
            return wrong_usage("unknown or incomplete option", arg);
        }
    }
    return -1;
}

static void run_family(int f, hst_cpu_level level) {
    self.family = families[f].name;
    self.level = level;
    state.rng = self.seed * 0x9e3779b97f4a7c15u + (uint64_t)f;
    state.reports = 0;
    kc_case(&self, "start");
    size_t passed = state.passed, failed = state.failed;
    families[f].check(&self);
    kc_flush(&self, false);
    kc_release(&self);
    printf("%-12s %-10s %zu passed, %zu failed\n", self.family, hst_cpu_name(level),
           state.passed - passed, state.failed - failed);
}

int main(int argc, char **argv) {
    options o = {.level = HST_CPU_AUTO};
    self.seed = 1;
    int status = parse(argc, argv, &o);
    if (status >= 0)
        return status;
    setvbuf(stdout, NULL, _IOLBF, 0);
    watch_crashes();
    printf("kcheck: seed %llu, this machine: %s\n", (unsigned long long)self.seed,
           hst_cpu_name(hst_cpu_best()));
    bool found = !o.family;
    for (int f = 0; families[f].name; f++) {
        if (o.family && strcmp(o.family, families[f].name))
            continue;
        found = true;
        for (int l = HST_CPU_REF; l <= HST_CPU_AVX512VNNI; l++) {
            hst_cpu_level level = (hst_cpu_level)l;
            if (o.level != HST_CPU_AUTO && level != o.level)
                continue;
            if (level > hst_cpu_best())
                printf("%-12s %-10s skipped: not on this machine\n", families[f].name,
                       hst_cpu_name(level));
            else
                run_family(f, level);
        }
    }
    if (!found)
        return wrong_usage("no such family:", o.family);
    printf("kcheck: %zu passed, %zu failed\n", state.passed, state.failed);
    return state.failed ? 1 : 0;
}
