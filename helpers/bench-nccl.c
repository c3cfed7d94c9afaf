/* SPDX-License-Identifier: Apache-2.0 */
/* bench-nccl: all-reduces over all GPUs of this node, or, with other nodes, over all of theirs. One
 * process for a node, run as a child with a deadline.  A GPU that somebody else computes on is not
 * touched.  stdout is what model/nccl_bench.h says, between the lines of NCCL's log; the exit
 * status is 0 (also where nothing could be measured: the text says why) or 2 (usage). */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "nccl_bench.h"

/* Not on the command line, which everybody can read. */
#define TOKEN "CLUSTER_ENV_BENCH_TOKEN"
#define TOLD(bench) ((bench)->result.outcome != CE_NCCL_SILENT)

enum { MS_MAX = 24 * 3600 * 1000, SECONDS_MAX = 3600, WORD = 160 };

/* ---------------------------------------------------------------- what is said */

void nccl_say(const struct ce_text *text)
{
    fputs(ce_text_string(text), stdout);
    fflush(stdout);
}

int nccl_bench_fail(struct nccl_bench *bench, enum ce_nccl_outcome outcome, const char *reason)
{
    if (!TOLD(bench))
        ce_nccl_node_end(&bench->result, outcome, "%s", reason);
    return -1;
}

int nccl_bench_cuda(struct nccl_bench *bench, cu_result code, const char *what)
{
    char word[96], text[WORD];
    if (code == CU_OK)
        return 0;
    snprintf(text, sizeof text, "%s: %s", what, cuda_word(&bench->cuda, code, word, sizeof word));
    if (!TOLD(bench))
        bench->result.hardware = code == CU_ECC_UNCORRECTABLE;
    return nccl_bench_fail(bench, CE_NCCL_FAILED, text);
}

int nccl_bench_nccl(struct nccl_bench *bench, nc_result code, const char *what)
{
    char word[WORD], text[WORD + 32];
    if (code == NC_OK)
        return 0;
    snprintf(text, sizeof text, "%s: %s", what, nccl_word(&bench->nccl, code, word, sizeof word));
    return nccl_bench_fail(bench, code == NC_REMOTE_ERROR ? CE_NCCL_OTHERS : CE_NCCL_FAILED, text);
}

/* ---------------------------------------------------------------- the test */

static int start(struct nccl_bench *bench)
{
    ce_autotext struct ce_text said = CE_TEXT(4096);
    ce_nccl_say_stage(CE_NCCL_START, &said);
    nccl_say(&said);
    ce_text_free(&said);
    said = CE_TEXT(4096);
    int status = nccl_gpus_open(bench);
    if (status == 0)
        status = nccl_gpus_room(bench);
    if (status == 0 && bench->gang.node == 0)
        status = nccl_bench_nccl(bench, bench->nccl.unique_id(&bench->part.id), "ncclGetUniqueId");
    ce_nccl_say_gpus(&bench->result, &said);
    nccl_say(&said);
    return status;
}

/* Also one that can take no part comes and says so, or the others would wait for it. */
static int meet(struct nccl_bench *bench, int started)
{
    ce_autotext struct ce_text said = CE_TEXT(4096);
    struct ce_error err;
    if (started == 0) {
        ce_nccl_say_stage(bench->result.at = CE_NCCL_MEET, &said);
        nccl_say(&said);
    }
    bench->part.gpus = bench->result.gpus;
    bench->part.version = bench->result.version;
    bench->part.failed = started < 0 ? bench->result.reason : NULL;
    if (gang_meet(&bench->gang, &bench->part, &err) == 0) {
        bench->result.ranks = bench->part.ranks;
        return started;
    }
    nccl_bench_fail(bench, bench->gang.others ? CE_NCCL_OTHERS : CE_NCCL_FAILED, err.text);
    gang_fail(&bench->gang, err.text);
    return -1;
}

/* Who started it knows already that this node takes no part, and tells the others. */
static int arrange(struct nccl_bench *bench, int started)
{
    if (bench->waits && (started < 0 || nccl_await_word(bench) < 0))
        return -1;
    return meet(bench, started);
}

static void test(struct nccl_bench *bench)
{
    ce_autotext struct ce_text said = CE_TEXT(4096);
    int status = arrange(bench, start(bench));
    if (status == 0)
        status = nccl_measure(bench);
    if (status == 0)
        bench->result.outcome = CE_NCCL_DONE;
    ce_nccl_say_end(&bench->result, &said);
    nccl_say(&said);
    gang_leave(&bench->gang);
    nccl_gpus_close(bench);
}

/* ---------------------------------------------------------------- arguments */

struct arguments {
    const char *address, *port, *name, *library;
    uint32_t nodes, node, seconds, meet_ms, limit_ms;
    uint64_t bytes, least;
    bool waits;
};

static int usage(void)
{
    fputs(
        "usage: bench-nccl [--name=NODE] [--bytes=N] [--least=N] [--seconds=N] [--library=FILE] [--limit=MS]\n"
        "       [--nodes=N --node=I --address=A {--port=N [--meet=MS] | --wait}]\n",
        stderr);
    return 2;
}

static int take(struct arguments *arguments, int option)
{
    switch (option) {
    case 'a':
        arguments->address = optarg;
        return 0;
    case 'p':
        arguments->port = optarg;
        return 0;
    case 'w':
        arguments->name = optarg;
        return 0;
    case 'l':
        arguments->library = optarg;
        return 0;
    case 'n':
        return ce_parse_u32(optarg, 1, CE_NCCL_NODES_MAX, &arguments->nodes);
    case 'i':
        return ce_parse_u32(optarg, 0, CE_NCCL_NODES_MAX - 1, &arguments->node);
    case 's':
        return ce_parse_u32(optarg, 1, SECONDS_MAX, &arguments->seconds);
    case 'm':
        return ce_parse_u32(optarg, 1, MS_MAX, &arguments->meet_ms);
    case 't':
        return ce_parse_u32(optarg, 1, MS_MAX, &arguments->limit_ms);
    case 'b':
        return ce_parse_uint(optarg, sizeof(float), UINT64_C(1) << 40, &arguments->bytes);
    case 'e':
        return ce_parse_uint(optarg, sizeof(float), UINT64_C(1) << 40, &arguments->least);
    case 'g':
        arguments->waits = true;
        return 0;
    default:
        return -1;
    }
}

static int parse(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {{"address", required_argument, NULL, 'a'},
                                            {"port", required_argument, NULL, 'p'},
                                            {"name", required_argument, NULL, 'w'},
                                            {"library", required_argument, NULL, 'l'},
                                            {"nodes", required_argument, NULL, 'n'},
                                            {"node", required_argument, NULL, 'i'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"meet", required_argument, NULL, 'm'},
                                            {"limit", required_argument, NULL, 't'},
                                            {"bytes", required_argument, NULL, 'b'},
                                            {"least", required_argument, NULL, 'e'},
                                            {"wait", no_argument, NULL, 'g'},
                                            {NULL}};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (take(arguments, option) < 0)
            return -1;
    if (optind < argc || arguments->node >= arguments->nodes)
        return -1;
    if (arguments->waits)
        return arguments->nodes > 1 && arguments->address ? 0 : -1;
    return arguments->nodes > 1 && (!arguments->address || !arguments->port) ? -1 : 0;
}

/* The token is for the gang alone: a library that prints its environment does not get it. */
static int make_gang(const struct arguments *arguments, struct gang *gang)
{
    const char *token = getenv(TOKEN);
    uint64_t now = ce_clock_ns();
    *gang = (struct gang){.name = arguments->name,
                          .address = arguments->address,
                          .port = arguments->port,
                          .nodes = arguments->nodes,
                          .node = arguments->node,
                          .listening = -1,
                          .meet_by = now + (uint64_t)arguments->meet_ms * CE_NS_PER_MS,
                          .deadline = now + (uint64_t)arguments->limit_ms * CE_NS_PER_MS};
    if (arguments->nodes > 1 && !arguments->waits &&
        (!token || !*token || ce_copy(gang->token, sizeof gang->token, token) < 0)) {
        fputs("bench-nccl: " TOKEN " is not set\n", stderr);
        return -1;
    }
    unsetenv(TOKEN);
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.name = "this node",
                                  .nodes = 1,
                                  .seconds = 1,
                                  .bytes = 1 << 20,
                                  .least = CE_NCCL_LEAST,
                                  .meet_ms = 30000,
                                  .limit_ms = 60000};
    static struct nccl_bench bench;
    if (parse(argc, argv, &arguments) < 0)
        return usage();
    if (make_gang(&arguments, &bench.gang) < 0)
        return 2;
    bench.library = arguments.library;
    bench.bytes = arguments.bytes;
    bench.least = arguments.least;
    bench.waits = arguments.waits;
    bench.seconds = arguments.seconds;
    /* NCCL's lines come out whole, and are not lost where this is ended. */
    setlinebuf(stdout);
    setenv("NCCL_DEBUG", "INFO", 1);
    setenv("NCCL_DEBUG_SUBSYS", "INIT,NET,ENV", 1);
    setenv("NCCL_DEBUG_FILE", "/dev/stdout", 1); /* whatever nccl.conf says */
    signal(SIGPIPE, SIG_IGN);
    test(&bench);
    return 0;
}
