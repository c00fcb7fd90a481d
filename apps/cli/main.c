/* hasten: the command. */
#include <string.h>

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

int main(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("hasten %s\n", hst_version());
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return EXIT_DONE;
    }
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (strcmp(argv[1], c->name) != 0)
            continue;
        cli_args args;
        int status = cli_parse(c, argc - 1, argv + 1, &args);
        if (status < 0)
            status = c->run(&args);
        cli_args_fini(&args);
        if (fflush(stdout) != 0 && status == EXIT_DONE) {
            perror("hasten: standard output");
            status = EXIT_FAILED;
        }
        return status;
    }
    fprintf(stderr, "hasten: there is no command '%s'\n\n", argv[1]);
    print_overview(stderr);
    return EXIT_USAGE;
}
