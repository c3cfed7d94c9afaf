/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "command.h"

static const struct {
    const char *name;
    const char *doc;
    const struct argp *argp;
    int (*run)(int argc, char **argv);
} kinds[] = {
    {"rdma", "RDMA write bandwidth and latency of each rail", &ce_bench_rdma_argp, ce_bench_rdma},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void print_help(FILE *out)
{
    fputs("Usage: cluster-env bench KIND [OPTION...]\n"
          "Measure what this node delivers. It puts load on the node: run it on an idle one.\n\n"
          "  -?, --help                 this\n",
          out);
    for (int i = 0; i < KINDS; i++) {
        char name[64];
        fprintf(out, "\n%s: %s\n", kinds[i].name, kinds[i].doc);
        snprintf(name, sizeof name, "cluster-env bench %s", kinds[i].name);
        argp_help(kinds[i].argp, out, ARGP_HELP_LONG, name);
    }
}

static int run(int kind, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "cluster-env bench %s", kinds[kind].name);
    argv[0] = name; /* what argp prints in front of its messages */
    return kinds[kind].run(argc, argv);
}

int ce_cmd_bench(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    for (int i = 0; i < KINDS; i++)
        if (strcmp(word, kinds[i].name) == 0)
            return run(i, argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-?") == 0 || strcmp(word, "--usage") == 0) {
        print_help(stdout);
        return CE_EXIT_OK;
    }
    if (*word)
        fprintf(stderr, "cluster-env bench: '%s' is nothing to measure\n", word);
    print_help(stderr);
    return CE_EXIT_USAGE;
}
