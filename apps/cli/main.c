/* hasten: the command. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

const cli_command cli_commands[] = {
#define COMMAND(symbol, letter, name, arguments, summary, example)                       \
    {name, arguments, summary, example, letter, cli_run_##symbol},
#include "commands.def"
#undef COMMAND
    {NULL, NULL, NULL, NULL, 0, NULL},
};

static void print_overview(FILE *to) {
    fprintf(to, "hasten finds the milliseconds in a deployed neural network.\n\n"
                "usage: hasten COMMAND [ARGUMENT...]\n\n");
    for (const cli_command *c = cli_commands; c->name; c++)
        fprintf(to, "  %-9s %-18s %s\n", c->name, c->arguments, c->summary);
    fprintf(to, "\n`hasten COMMAND --help` explains a command and shows an example.\n"
                "Exit status: 0 done, 1 failed, 2 wrong usage.\n");
}

/** A file opened while standard output is closed would get its number, and the answer
 * would be written into it. Read-only, so that writing fails as it does on a closed one.
 */
static void occupy_closed_streams(void) {
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDONLY);
    if (fd > STDERR_FILENO)
        close(fd);
}

static int run_command(const cli_command *c, int argc, char **argv) {
    cli_args args;
    int status = cli_parse(c, argc, argv, &args);
    if (status < 0)
        status = c->run(&args);
    cli_args_fini(&args);
    return status;
}

static bool either(const char *given, const char *a, const char *b) {
    return strcmp(given, a) == 0 || strcmp(given, b) == 0;
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    if (either(argv[1], "--version", "-V")) {
        printf("hasten %s\n", hst_version());
        return EXIT_DONE;
    }
    if (either(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return EXIT_DONE;
    }
    for (const cli_command *c = cli_commands; c->name; c++)
        if (strcmp(argv[1], c->name) == 0)
            return run_command(c, argc - 1, argv + 1);
    fprintf(stderr, "hasten: there is no command '%s'\n\n", hst_text_clean(argv[1]));
    print_overview(stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    occupy_closed_streams();
    int status = run(argc, argv);
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (!written && status == EXIT_DONE) {
        perror("hasten: standard output");
        status = EXIT_FAILED;
    }
    return status;
}
