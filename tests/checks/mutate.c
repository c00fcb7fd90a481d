/* The whole way of a hostile model: loaded, planned, run. Every truncation of each
 * model's structure, and changes of its structure by the thousand; each must give a
 * result or an error with a message, within 10 seconds and 2 GB, in a process of its own
 * that a crash or an endless loop cannot take along.
 *
 * usage: mutate [--cases N] [--first N] [--cuts N] [--write FILE] MODEL...
 *   --cases N    random changes of each model (default 1000)
 *   --first N    number of the first one; what is reported bears its number
 *   --cuts N     at most so many truncations of each model (default 1000)
 *   --write FILE writes change --first and ends
 * A folder stands for all the models in it. */
#include <ftw.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hasten/hasten.h"
#include "mutator.h"
#include "support/input.h"

enum {
    SKIP = 77,
    SECONDS_MAX = 10,
    INPUTS_MAX = 64,
    FAILURES_MAX = 20,
    STATUSES = 16,
};

#if defined(__SANITIZE_ADDRESS__)
static const bool sanitized = true;
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:hard_rss_limit_mb=3000:detect_leaks=0";
}
#else
static const bool sanitized = false;
#endif

static const size_t memory_max = (size_t)2 << 30;
static const size_t input_bytes_max = 64 << 20;

/** What worker and watcher share. */
typedef struct progress {
    long number;       /**< of the case at hand */
    uint64_t start_ns; /**< of the case at hand */
    long ran, dynamic, loaded, slowest_number;
    double slowest_s;
    long refused[STATUSES];
    char wrong[200]; /**< what a case did that it must not; "" for nothing */
} progress;

typedef struct campaign {
    const char *path;
    uint8_t *model;
    size_t size;
    mutator mutator;
    long cuts, first, cases; /**< cases 0..cuts-1 are truncations */
    progress *p;
    int failures;
} campaign;

/* One case, in the worker. */

static void wrong(progress *p, const char *what, hst_status status) {
    snprintf(p->wrong, sizeof p->wrong, "%.160s (status %d)", what, (int)status);
}

/** An error must say something, on clean text. */
static void check_error(progress *p, hst_status status, const hst_error *err) {
    char copy[sizeof err->message], *line = copy;
    int number = (int)status;
    if (number < 1 || number >= STATUSES || err->status != status)
        wrong(p, "an error of unknown or different status", status);
    p->refused[number < STATUSES ? number : 0]++;
    if (!*err->message)
        wrong(p, "an error without a message", status);
    if (status == HST_E_INTERNAL || status == HST_E_ARG)
        wrong(p, err->message, status);
    memcpy(copy, err->message, sizeof copy);
    for (char *c = copy; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    char cleaned[sizeof copy];
    memcpy(cleaned, copy, sizeof copy);
    if (strcmp(hst_text_clean(cleaned), line) != 0)
        wrong(p, "a message that is not clean", status);
}

/** Small numbers of either sign; bytes over their range; other integers 0 or 1. */
static void fill(hst_tensor *t) {
    hst_dtype type = hst_tensor_get_info(t)->dtype;
    size_t size = hst_dtype_size(type);
    uint8_t *data = hst_tensor_data(t);
    for (size_t i = 0, n = hst_tensor_count(t); i < n; i++) {
        float f = (float)(int)(i * 37 % 19) / 8 - 1;
        double d = (double)f;
        uint64_t whole = size == 1 && type != HST_DTYPE_BOOL ? i * 37 : i % 2;
        const void *from = type == HST_DTYPE_F32   ? (const void *)&f
                           : type == HST_DTYPE_F64 ? (const void *)&d
                                                   : (const void *)&whole;
        memcpy(data + i * size, from, size);
    }
}

/** NULL where the input would be large or is refused. */
static hst_tensor *make_input(const hst_model *model, size_t index) {
    hst_tensor *t = zero_input(model, index, 1, (double)input_bytes_max);
    if (t)
        fill(t);
    return t;
}

/** Reads every byte, so that a sanitizer sees them. */
static unsigned touch(const hst_session *session, const hst_model_info *info) {
    unsigned sum = 0;
    for (size_t i = 0; i < info->outputs; i++) {
        const hst_tensor *t = hst_session_output(session, i);
        const uint8_t *data = t ? hst_tensor_const_data(t) : NULL;
        size_t n =
            t ? hst_tensor_count(t) * hst_dtype_size(hst_tensor_get_info(t)->dtype) : 0;
        for (size_t k = 0; k < n; k++)
            sum = sum * 31 + data[k];
    }
    return sum;
}

static void run(campaign *c, const hst_model *model, hst_session *session) {
    hst_tensor *inputs[INPUTS_MAX];
    hst_model_info info;
    hst_session_info plan;
    hst_error err = {0};
    size_t n = 0;
    hst_model_get_info(model, &info);
    while (n < info.inputs && n < INPUTS_MAX && (inputs[n] = make_input(model, n)))
        n++;
    if (n == info.inputs) {
        hst_status st =
            hst_session_run(session, (const hst_tensor *const *)inputs, n, &err);
        if (st) {
            check_error(c->p, st, &err);
        } else {
            volatile unsigned sum = touch(session, &info);
            (void)sum;
            hst_session_get_info(session, &plan);
            c->p->ran++;
            c->p->dynamic += plan.dynamic;
        }
    }
    while (n > 0)
        hst_tensor_destroy(inputs[--n]);
}

static void try_model(campaign *c, const void *bytes, size_t size) {
    hst_model *model = NULL;
    hst_session *session = NULL;
    hst_session_options options;
    hst_error err = {0};
    hst_status st = hst_model_load_memory(bytes, size, &model, &err);
    if (st) {
        check_error(c->p, st, &err);
        return;
    }
    c->p->loaded++;
    hst_session_options_init(&options);
    options.threads = 1;
    options.seconds_max = sanitized ? 0.1 : 1; /* by estimate */
    st = hst_session_create(model, &options, &session, &err);
    if (st)
        check_error(c->p, st, &err);
    else
        run(c, model, session);
    hst_session_destroy(session);
    hst_model_destroy(model);
}

/** The bytes of a case, in a block that ends where they end. */
static uint8_t *make_case(const campaign *c, long number, size_t *size) {
    if (number >= c->cuts)
        return mutator_make(&c->mutator, (uint64_t)(number - c->cuts) + 1, size);
    size_t n = c->mutator.structural, count = (size_t)c->cuts;
    *size = mutator_offset(&c->mutator, (size_t)number * n / count);
    uint8_t *copy = malloc(*size ? *size : 1);
    if (copy)
        memcpy(copy, c->model, *size);
    return copy;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void limit_memory(void) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    size_t now = (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
    struct rlimit limit = {now + memory_max, now + memory_max};
    if (!sanitized)
        setrlimit(RLIMIT_AS, &limit);
    limit = (struct rlimit){0, 0};
    setrlimit(RLIMIT_CORE, &limit);
}

static _Noreturn void work(campaign *c, long from, long end) {
    progress *p = c->p;
    limit_memory();
    for (long i = from; i < end; i++) {
        size_t size;
        uint8_t *bytes = make_case(c, i, &size);
        p->start_ns = now_ns();
        p->number = i;
        if (bytes)
            try_model(c, bytes, size);
        double took = (double)(now_ns() - p->start_ns) / 1e9;
        if (took > p->slowest_s) {
            p->slowest_s = took;
            p->slowest_number = i;
        }
        free(bytes);
        if (*p->wrong)
            _exit(3);
    }
    _exit(0);
}

/* The watcher. */

static void report(campaign *c, const char *what) {
    long n = c->p->number;
    fprintf(stderr, "%s, %s %ld: %s\n", c->path, n < c->cuts ? "truncation" : "change",
            n < c->cuts ? n : n - c->cuts, what);
    c->failures++;
}

/** Waits for the worker; kills it when a case takes too long. */
static void watch(campaign *c, pid_t worker) {
    int status = 0;
    char text[100];
    const struct timespec pause = {0, 2000000};
    while (waitpid(worker, &status, WNOHANG) == 0) {
        uint64_t start = c->p->start_ns; /* before the clock is read */
        double took = (double)(int64_t)(now_ns() - start) / 1e9;
        if (took > SECONDS_MAX * (sanitized ? 4 : 1)) {
            kill(worker, SIGKILL);
            waitpid(worker, &status, 0);
            snprintf(text, sizeof text, "more than %.0f s", took - 0.5);
            report(c, text);
            return;
        }
        nanosleep(&pause, NULL);
    }
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
        report(c, text);
    } else if (*c->p->wrong) {
        report(c, c->p->wrong);
        *c->p->wrong = 0;
    } else if (WEXITSTATUS(status)) {
        snprintf(text, sizeof text, "exit %d", WEXITSTATUS(status));
        report(c, text);
    }
}

static void run_cases(campaign *c, long from, long end) {
    while (from < end && c->failures < FAILURES_MAX) {
        c->p->number = from;
        c->p->start_ns = now_ns();
        fflush(NULL);
        pid_t worker = fork();
        if (worker == 0)
            work(c, from, end);
        if (worker < 0) {
            perror("fork");
            c->failures++;
            return;
        }
        int before = c->failures;
        watch(c, worker);
        from = c->failures > before ? c->p->number + 1 : end;
    }
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    long n = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    uint8_t *data = n > 0 ? malloc((size_t)n) : NULL;
    if (data) {
        rewind(f);
        *size = fread(data, 1, (size_t)n, f);
    }
    if (f)
        fclose(f);
    return data;
}

static struct {
    long cases, first, cuts;
    const char *write;
    int failures;
    long models;
} options = {.cases = 1000, .cuts = 1000};

static void write_case(const campaign *c) {
    size_t size;
    uint8_t *bytes = make_case(c, c->cuts + c->first, &size);
    FILE *f = fopen(options.write, "wb");
    if (!bytes || !f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
        perror(options.write);
    free(bytes);
}

static void print_summary(const campaign *c) {
    const progress *p = c->p;
    const char *name = strrchr(c->path, '/');
    printf("%-40s %ld cuts of %zu bytes, %ld changes of %zu fields: %ld load, %ld run "
           "(%ld dynamic); refused",
           name ? name + 1 : c->path, c->cuts, c->mutator.structural, c->cases,
           c->mutator.leaves, p->loaded, p->ran, p->dynamic);
    for (int i = 1; i < STATUSES; i++)
        if (p->refused[i])
            printf(" %ld %s,", p->refused[i], hst_status_text((hst_status)i));
    printf(" slowest %.2f s (%ld)\n", p->slowest_s, p->slowest_number - c->cuts);
}

static void attack(const char *path) {
    campaign c = {.path = path, .first = options.first, .cases = options.cases};
    c.model = read_file(path, &c.size);
    c.p = mmap(NULL, sizeof *c.p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
               0);
    if (!c.model || c.p == MAP_FAILED || mutator_init(&c.mutator, c.model, c.size)) {
        fprintf(stderr, "%s: cannot be read as a model\n", path);
        options.failures++;
    } else {
        c.cuts = (long)c.mutator.structural;
        c.cuts = c.cuts > options.cuts ? options.cuts : c.cuts;
        if (options.write) {
            write_case(&c);
        } else {
            if (c.first == 0)
                run_cases(&c, 0, c.cuts);
            run_cases(&c, c.cuts + c.first, c.cuts + c.first + c.cases);
            print_summary(&c);
        }
        options.failures += c.failures;
        options.models++;
    }
    mutator_fini(&c.mutator);
    free(c.model);
    munmap(c.p, sizeof *c.p);
}

static int visit(const char *path, const struct stat *info, int type, struct FTW *ftw) {
    size_t n = strlen(path);
    (void)info;
    (void)ftw;
    if (type == FTW_F && n > 5 && strcmp(path + n - 5, ".onnx") == 0)
        attack(path);
    return 0;
}

int main(int argc, char **argv) {
    static const struct option known[] = {
        {"cases", required_argument, NULL, 'n'},
        {"first", required_argument, NULL, 'f'},
        {"cuts", required_argument, NULL, 'c'},
        {"write", required_argument, NULL, 'w'},
        {NULL, 0, NULL, 0},
    };
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
        switch (c) {
        case 'n':
            options.cases = atol(optarg);
            break;
        case 'f':
            options.first = atol(optarg);
            break;
        case 'c':
            options.cuts = atol(optarg);
            break;
        case 'w':
            options.write = optarg;
            break;
        default:
            return 2;
        }
    for (; optind < argc; optind++)
        if (nftw(argv[optind], visit, 16, FTW_PHYS))
            perror(argv[optind]);
    if (options.models == 0) {
        printf("skipped: no models\n");
        return SKIP;
    }
    return options.failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
