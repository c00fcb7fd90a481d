/* What the commands share: options, errors, the loaded chain, printing. */
#ifndef HASTEN_CLI_H
#define HASTEN_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "hasten/hasten.h"
#include "hasten/measure.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef enum cli_option {
#define GROUP(title)
#define OPTION(symbol, name, letter, argument, commands, help) OPT_##symbol,
#include "options.def"
#undef OPTION
#undef GROUP
    OPT_COUNT_OF
} cli_option;

struct cli_args;

typedef struct cli_command {
    const char *name, *arguments, *summary, *example;
    char letter;
    int (*run)(struct cli_args *args);
} cli_command;

typedef struct cli_args {
    const cli_command *command;
    const char *text[OPT_COUNT_OF]; /**< last value of each option; "" for a given flag */
    const char **inputs, **shapes;  /**< values of the repeatable ones */
    size_t n_inputs, n_shapes;
    char **positional;
    char **shown; /**< the positional arguments, made fit to be printed */
    int n_positional;
} cli_args;

/** All commands; the last one has no name. */
extern const cli_command cli_commands[];

#define COMMAND(symbol, letter, name, arguments, summary, example)                       \
    int cli_run_##symbol(cli_args *args);
#include "commands.def"
#undef COMMAND

/** Parses argv behind the command's name. Returns -1 to go on, else the exit status. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *out);
void cli_args_fini(cli_args *args);
void cli_print_help(const cli_command *command, FILE *to);

static inline bool cli_given(const cli_args *a, cli_option o) { return a->text[o]; }

/** Whether writing to `path` would overwrite a file that the command reads. */
bool cli_is_input(const cli_args *a, const char *path);

/** Without the dashes; for messages. */
const char *cli_option_name(cli_option o);

/** Each writes a message naming the option and exits the process with EXIT_USAGE when the
 * value is malformed or out of range. Without the option the fallback is returned. */
long cli_int(const cli_args *a, cli_option o, long fallback, long low, long high);
double cli_double(const cli_args *a, cli_option o, double fallback, double low,
                  double high);
/** Nanoseconds of "5s", "500ms", "1m", "20us". */
uint64_t cli_duration(const cli_args *a, cli_option o, uint64_t fallback);
/** "224x160"; both from 1 to 16384. Untouched without the option. */
void cli_size(const cli_args *a, cli_option o, int *width, int *height);
/** Session options from --threads, --cpu, --shape, --exact; the n_shapes shapes are kept
 * in *shapes, which cli_shapes_free releases. */
void cli_session_options(const cli_args *a, hst_session_options *out,
                         hst_input_shape **shapes);
void cli_shapes_free(hst_input_shape *shapes, size_t n);

/** Input `index` with its shape from the file or --shape, and 1 where a dimension is free
 * in both; true where that was so. */
bool cli_input_shape(const hst_model *model, const hst_session_options *o, size_t index,
                     hst_value_info *out);

/** Prints "hasten COMMAND: message" to stderr and returns EXIT_FAILED. */
int cli_fail(const cli_args *a, const hst_error *err);
__attribute__((format(printf, 2, 3))) int cli_usage(const cli_command *command,
                                                    const char *format, ...);

#endif
