/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "command.h"

static const struct kind {
    const char *name, *doc;
    int (*run)(int argc, char **argv);
    void (*help)(FILE *out, char *name);
} kinds[] = {
    {"rdma", "RDMA write bandwidth and latency of each rail", ce_bench_rdma, ce_bench_rdma_help},
    {"gpu", "copies, memory and computing of this node's GPUs", ce_bench_gpu, ce_bench_gpu_help},
    {"nccl", "all-reduces over the GPUs of this node, or of the nodes of a job", ce_bench_nccl,
     ce_bench_nccl_help},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int usage(FILE *out, int status)
{
    fputs("Usage: cluster-env bench KIND [OPTION...]\n\n"
          "  -?, --help                 this\n\nKinds:\n", out);
    for (int i = 0; i < KINDS; i++)
        fprintf(out, "  %-9s  %s\n", kinds[i].name, kinds[i].doc);
    return status;
}

static int help(void)
{
    char name[64];
    usage(stdout, CE_EXIT_OK);
    for (int i = 0; i < KINDS; i++) {
        snprintf(name, sizeof name, "cluster-env bench %s", kinds[i].name);
        fputc('\n', stdout);
        kinds[i].help(stdout, name);
    }
    return CE_EXIT_OK;
}

int ce_cmd_bench(int argc, char **argv)
{
    char name[64];
    const char *word = argc > 1 ? argv[1] : "";
    for (int i = 0; i < KINDS; i++)
        if (strcmp(word, kinds[i].name) == 0) {
            snprintf(name, sizeof name, "cluster-env bench %s", word);
            argv[1] = name;
            return kinds[i].run(argc - 1, argv + 1);
        }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-?") == 0)
        return help();
    if (*word)
        fprintf(stderr, "cluster-env bench: '%s' is not a kind of test\n", word);
    return usage(stderr, CE_EXIT_USAGE);
}
