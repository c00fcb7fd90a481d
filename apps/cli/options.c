/* Command-line options: one table for parsing and for help. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

typedef struct option_entry {
    const char *name, *argument, *commands, *help;
    const char *group; /**< not NULL: a heading, not an option */
    int letter;
    cli_option option;
} option_entry;

static const option_entry entries[] = {
#define GROUP(title) {.group = title},
#define OPTION(symbol, text, short_name, arg, users, line)                               \
    {.name = text,                                                                       \
     .argument = arg,                                                                    \
     .commands = users,                                                                  \
     .help = line,                                                                       \
     .letter = short_name,                                                               \
     .option = OPT_##symbol},
#include "options.def"
#undef OPTION
#undef GROUP
};

enum { ENTRIES = sizeof entries / sizeof *entries, LONG_BASE = 1000, SIDE_MAX = 16384 };

static bool serves(const option_entry *e, const cli_command *c) {
    return !e->group && strchr(e->commands, c->letter);
}

void cli_print_help(const cli_command *c, FILE *to) {
    const char *group = NULL;
    fprintf(to, "hasten %s: %s\n\nusage: hasten %s %s [OPTION...]\n\nexample:\n    %s\n",
            c->name, c->summary, c->name, c->arguments, c->example);
    for (size_t i = 0; i < ENTRIES; i++) {
        const option_entry *e = &entries[i];
        char left[64], letter[8] = "    ";
        if (e->group)
            group = e->group;
        if (!serves(e, c))
            continue;
        if (group)
            fprintf(to, "\n%s:\n", group);
        group = NULL;
        if (e->letter)
            snprintf(letter, sizeof letter, "-%c, ", e->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, e->name, e->argument ? " " : "",
                 e->argument ? e->argument : "");
        fprintf(to, "  %-28s %s\n", left, e->help);
    }
}

int cli_usage(const cli_command *command, const char *format, ...) {
    char text[1000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "hasten %s: %s\n", command->name, hst_text_clean(text));
    fprintf(stderr, "`hasten %s --help` lists what it takes.\n", command->name);
    return EXIT_USAGE;
}

int cli_fail(const cli_args *a, const hst_error *err) {
    fprintf(stderr, "hasten %s: %s\n", a->command->name,
            err->message[0] ? err->message : hst_status_text(err->status));
    return EXIT_FAILED;
}

/** Tables in getopt's form, of this command's options only. */
static void build_tables(const cli_command *c, struct option *longs, char *letters) {
    size_t n = 0;
    *letters++ = ':';
    for (size_t i = 0; i < ENTRIES; i++) {
        const option_entry *e = &entries[i];
        if (!serves(e, c))
            continue;
        longs[n++] =
            (struct option){e->name, e->argument ? required_argument : no_argument, NULL,
                            LONG_BASE + (int)i};
        if (e->letter) {
            *letters++ = (char)e->letter;
            if (e->argument)
                *letters++ = ':';
        }
    }
    longs[n] = (struct option){0};
    *letters = 0;
}

static const option_entry *find_entry(const cli_command *c, int got) {
    if (got >= LONG_BASE)
        return &entries[got - LONG_BASE];
    for (size_t i = 0; i < ENTRIES; i++)
        if (serves(&entries[i], c) && entries[i].letter == got)
            return &entries[i];
    return NULL;
}

/** The option that getopt has just refused, as it was written. */
static int refuse(const cli_command *c, char **argv, bool valueless) {
    char letter[3] = {'-', (char)optopt, 0};
    const char *given = optopt && optopt < LONG_BASE ? letter : argv[optind - 1];
    return valueless ? cli_usage(c, "%s needs a value", given)
                     : cli_usage(c, "'%s' is not an option here", given);
}

/** Clean copies of the positional arguments. */
static bool keep_shown(cli_args *a) {
    a->shown = calloc((size_t)a->n_positional + 1, sizeof *a->shown);
    for (int i = 0; a->shown && i < a->n_positional; i++) {
        a->shown[i] = strdup(a->positional[i]);
        if (!a->shown[i])
            return false;
        hst_text_clean(a->shown[i]);
    }
    return a->shown;
}

static int out_of_memory(void) {
    fprintf(stderr, "hasten: out of memory\n");
    return EXIT_FAILED;
}

static int keep(cli_args *a, const option_entry *e, const char *value) {
    a->text[e->option] = value ? value : "";
    if (e->option == OPT_INPUT)
        a->inputs[a->n_inputs++] = value;
    else if (e->option == OPT_SHAPE)
        a->shapes[a->n_shapes++] = value;
    if (e->option == OPT_HELP) {
        cli_print_help(a->command, stdout);
        return EXIT_DONE;
    }
    return -1;
}

static bool same_file(const struct stat *a, const char *path) {
    struct stat b;
    return path && stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

bool cli_is_input(const cli_args *a, const char *path) {
    struct stat s;
    bool found = false;
    if (stat(path, &s) || !S_ISREG(s.st_mode))
        return false;
    for (int i = 0; i < a->n_positional; i++)
        found |= same_file(&s, a->positional[i]);
    found |= same_file(&s, a->text[OPT_MANIFEST]) || same_file(&s, a->text[OPT_LABELS]);
    for (size_t i = 0; i < a->n_inputs; i++) { /* FILE or NAME=FILE, '=' in either */
        found |= same_file(&s, a->inputs[i]);
        for (const char *p = a->inputs[i]; (p = strchr(p, '='));)
            found |= same_file(&s, ++p);
    }
    return found;
}

/** A slip of the hand must not cost a model or a photograph. */
static int check_outputs(const cli_args *a) {
    static const cli_option outputs[] = {OPT_DRAW, OPT_TRACE, OPT_DOT};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (cli_given(a, outputs[i]) && cli_is_input(a, a->text[outputs[i]]))
            return cli_usage(a->command, "--%s '%s' would overwrite what is read",
                             cli_option_name(outputs[i]), a->text[outputs[i]]);
    return -1;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_args *out) {
    struct option longs[ENTRIES + 1];
    char letters[2 * ENTRIES + 2];
    int got;
    *out = (cli_args){.command = command};
    out->inputs = calloc((size_t)argc, sizeof *out->inputs);
    out->shapes = calloc((size_t)argc, sizeof *out->shapes);
    if (!out->inputs || !out->shapes)
        return out_of_memory();
    build_tables(command, longs, letters);
    opterr = 0;
    while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const option_entry *e =
            got == ':' || got == '?' ? NULL : find_entry(command, got);
        if (!e)
            return refuse(command, argv, got == ':');
        int status = keep(out, e, optarg);
        if (status >= 0)
            return status;
    }
    out->positional = argv + optind;
    out->n_positional = argc - optind;
    bool wants_model = strncmp(command->arguments, "MODEL", 5) == 0;
    if (wants_model && out->n_positional < 1)
        return cli_usage(command, "MODEL is missing");
    if (!wants_model && out->n_positional > 0)
        return cli_usage(command, "'%s' is not expected", out->positional[0]);
    return keep_shown(out) ? check_outputs(out) : out_of_memory();
}

void cli_args_fini(cli_args *args) {
    for (int i = 0; args->shown && i < args->n_positional; i++)
        free(args->shown[i]);
    free(args->shown);
    free(args->inputs);
    free(args->shapes);
}

const char *cli_option_name(cli_option o) {
    for (size_t i = 0; i < ENTRIES; i++)
        if (!entries[i].group && entries[i].option == o)
            return entries[i].name;
    return "?";
}

_Noreturn static void reject(const cli_args *a, cli_option o, const char *wanted) {
    exit(cli_usage(a->command, "--%s '%s': %s is expected", cli_option_name(o),
                   a->text[o], wanted));
}

long cli_int(const cli_args *a, cli_option o, long fallback, long low, long high) {
    char *end, wanted[80];
    if (!cli_given(a, o))
        return fallback;
    errno = 0;
    long v = strtol(a->text[o], &end, 10);
    if (end == a->text[o] || *end || errno || v < low || v > high) {
        snprintf(wanted, sizeof wanted, "a whole number from %ld to %ld", low, high);
        reject(a, o, wanted);
    }
    return v;
}

double cli_double(const cli_args *a, cli_option o, double fallback, double low,
                  double high) {
    char *end, wanted[80];
    if (!cli_given(a, o))
        return fallback;
    double v = strtod(a->text[o], &end);
    if (end == a->text[o] || *end || !(v >= low && v <= high)) {
        snprintf(wanted, sizeof wanted, "a number from %g to %g", low, high);
        reject(a, o, wanted);
    }
    return v;
}

uint64_t cli_duration(const cli_args *a, cli_option o, uint64_t fallback) {
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    char *end;
    if (!cli_given(a, o))
        return fallback;
    double v = strtod(a->text[o], &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end != a->text[o] && strcmp(end, units[i].unit) == 0 && v > 0 &&
            v * units[i].ns < 7 * 24 * 3600e9)
            return (uint64_t)(v * units[i].ns);
    reject(a, o, "a time such as 500ms, 5s or 1m");
}

void cli_size(const cli_args *a, cli_option o, int *width, int *height) {
    char *end;
    if (!cli_given(a, o))
        return;
    long w = strtol(a->text[o], &end, 10), h = 0;
    bool ok = end != a->text[o] && *end == 'x' && end[1];
    if (ok)
        h = strtol(end + 1, &end, 10);
    if (!ok || *end || w < 1 || w > SIDE_MAX || h < 1 || h > SIDE_MAX)
        reject(a, o, "WIDTHxHEIGHT, each from 1 to 16384,");
    *width = (int)w;
    *height = (int)h;
}

/** "x=1,3,224,224"; the name may contain '=', so the last one counts. */
static void parse_shape(const cli_args *a, const char *text, hst_input_shape *out) {
    char *name = strdup(text), *end;
    char *equals = name ? strrchr(name, '=') : NULL;
    if (!equals || equals == name)
        exit(cli_usage(a->command, "--shape '%s': NAME=D,D,.. is expected", text));
    *equals = 0;
    out->name = name;
    for (char *p = equals + 1;; p = end + 1) {
        long d = strtol(p, &end, 10);
        if (end == p || d < 0 || d > INT_MAX || out->rank == HST_MAX_RANK ||
            (*end && *end != ','))
            exit(cli_usage(a->command,
                           "--shape '%s': behind the name come 1 to %d whole numbers "
                           "from 0 to %d, separated by commas",
                           text, HST_MAX_RANK, INT_MAX));
        out->dims[out->rank++] = d;
        if (!*end)
            return;
    }
}

void cli_shapes_free(hst_input_shape *shapes, size_t n) {
    for (size_t i = 0; shapes && i < n; i++)
        free((char *)shapes[i].name);
    free(shapes);
}

/** XDG Base Directory Specification: $XDG_CACHE_HOME, else ~/.cache. NULL for none. */
static const char *plan_folder(const cli_args *a) {
    static char path[4096];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cli_given(a, OPT_PLAN_CACHE))
        return strcmp(a->text[OPT_PLAN_CACHE], "none") == 0 ? NULL
                                                            : a->text[OPT_PLAN_CACHE];
    if (cache && *cache == '/')
        snprintf(path, sizeof path, "%s/hasten", cache);
    else if (home && *home == '/')
        snprintf(path, sizeof path, "%s/.cache/hasten", home);
    else
        return NULL;
    return path;
}

void cli_session_options(const cli_args *a, hst_session_options *out,
                         hst_input_shape **shapes) {
    hst_error err;
    hst_session_options_init(out);
    out->threads = (int)cli_int(a, OPT_THREADS, 0, 1, 256);
    if (cli_given(a, OPT_CPU) && hst_cpu_parse(a->text[OPT_CPU], &out->cpu, &err))
        exit(cli_usage(a->command, "%s", err.message));
    out->exact = cli_given(a, OPT_EXACT);
    out->plan_folder = plan_folder(a);
    *shapes = calloc(a->n_shapes + 1, sizeof **shapes);
    if (!*shapes)
        exit(EXIT_FAILED);
    for (size_t i = 0; i < a->n_shapes; i++)
        parse_shape(a, a->shapes[i], &(*shapes)[i]);
    for (size_t i = 1; i < a->n_shapes; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp((*shapes)[i].name, (*shapes)[k].name) == 0)
                exit(cli_usage(a->command, "--shape '%s': '%s' has a shape already",
                               a->shapes[i], (*shapes)[i].name));
    out->shapes = *shapes;
    out->n_shapes = a->n_shapes;
}

bool cli_input_shape(const hst_model *model, const hst_session_options *o, size_t index,
                     hst_value_info *out) {
    bool assumed = false;
    hst_model_get_input(model, index, out, NULL);
    for (size_t k = 0; k < o->n_shapes; k++)
        if (strcmp(o->shapes[k].name, out->name) == 0) {
            out->tensor.rank = o->shapes[k].rank;
            memcpy(out->tensor.dims, o->shapes[k].dims, sizeof out->tensor.dims);
        }
    for (int k = 0; k < out->tensor.rank; k++)
        if (out->tensor.dims[k] < 0) {
            out->tensor.dims[k] = 1;
            assumed = true;
        }
    return assumed;
}
