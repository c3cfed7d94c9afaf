/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/root.h"
#include "bench.h"
#include "bench_report.h"
#include "checks/bench_measured.h"
#include "checks/bench_nccl.h"
#include "checks/bench_nccl_own.h"
#include "command.h"
#include "config/site.h"
#include "nccl_part.h"
#include "nccl_runs.h"
#include "report/nccl_bench.h"

#define NAME "bench nccl"

struct arguments {
    struct ce_nccl_test test;
    const char *config, *part;
    uint32_t counts[CE_NCCL_RUNS_MAX], seconds, timeout;
    size_t count;
    bool json, here;
    enum ce_bench_keep keep;
};

/* ---------------------------------------------------------------- arguments */

enum { KEY_HELPERS = 256, KEY_LIBRARY, KEY_TIMEOUT, KEY_HERE, KEY_PART, KEY_BYTES };
enum { SECONDS_MAX = 600, TIMEOUT_MAX = 3600 };

/* "4G": a message. */
static error_t take_size(struct arguments *arguments, const char *text, struct argp_state *state)
{
    static const char units[] = "KMGT";
    const uint64_t most = UINT64_C(1) << 40;
    const char *end, *unit;
    uint64_t number;
    if (ce_parse_digits(text, most, &number, &end) == 0 && *end && !end[1] &&
        (unit = strchr(units, *end)) != NULL) {
        unsigned shift = 10 * (unsigned)(unit - units + 1);
        if (number && number <= most >> shift) {
            arguments->test.bytes = number << shift;
            return 0;
        }
    }
    argp_error(state, "--size=%.40s: expected as in 512M or 4G, at most 1T", text);
    return 0;
}

static error_t take_counts(struct arguments *arguments, const char *text, struct argp_state *state)
{
    struct ce_error err;
    int count = ce_nccl_counts_parse(text, arguments->counts, &err);
    if (count < 0)
        argp_error(state, "--nodes=%s", err.text);
    arguments->count = count < 0 ? 0 : (size_t)count;
    return 0;
}

static error_t take_part(struct arguments *arguments, const char *text, struct argp_state *state)
{
    if (strcmp(text, "alone") != 0 && strcmp(text, "gang") != 0)
        argp_error(state, "--part=%.40s: expected alone or gang", text);
    arguments->part = text;
    return 0;
}

static void check_arguments(const struct arguments *arguments, struct argp_state *state)
{
    if (arguments->here && arguments->count)
        argp_error(state, "--here and --nodes exclude one another");
}

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'c':
        arguments->config = arg;
        return 0;
    case 'N':
        return take_counts(arguments, arg, state);
    case 's':
        return ce_take_number(state, "--seconds", arg, 1, SECONDS_MAX, &arguments->seconds);
    case 'm':
        return take_size(arguments, arg, state);
    case KEY_TIMEOUT:
        return ce_take_number(state, "--timeout", arg, 1, TIMEOUT_MAX, &arguments->timeout);
    case KEY_HERE:
        arguments->here = true;
        return 0;
    case KEY_HELPERS:
        arguments->test.helpers = arg;
        return 0;
    case KEY_LIBRARY:
        arguments->test.library = arg;
        return 0;
    case KEY_PART:
        return take_part(arguments, arg, state);
    case KEY_BYTES:
        if (ce_parse_uint(arg, sizeof(float), UINT64_C(1) << 40, &arguments->test.bytes) < 0)
            argp_error(state, "--bytes=%.40s: expected a number", arg);
        return 0;
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ce_bench_take_keep(key, &arguments->keep);
    }
}

static const struct argp_option options[] = {
    {"nodes", 'N', "LIST", 0, "in a job: gangs of so many of its nodes, as in 2,4,8 (all)", 0},
    {"here", KEY_HERE, NULL, 0, "this node alone, also in a job", 0},
    {"size", 'm', "SIZE", 0, "the greatest message, as in 512M (4G)", 0},
    {"seconds", 's', "N", 0, "the most that each size is measured (1)", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0,
     "the most for drivers, the other nodes and connecting (60)", 0},
    {"library", KEY_LIBRARY, "FILE", 0, "NCCL itself (libnccl.so.2 where the loader finds it)", 0},
    CE_BENCH_REPORT_OPTIONS,
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    {"config", 'c', "FILE", 0, "the configuration (" CE_CONFIG_FILE ", where it exists)", 0},
    {"helpers", KEY_HELPERS, "DIR", 0, "where bench-nccl is (" CE_HELPER_DIR ")", 0},
    {"part", KEY_PART, "KIND", OPTION_HIDDEN, "a node's part: alone, gang", 0},
    {"bytes", KEY_BYTES, "N", OPTION_HIDDEN, "the greatest message", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc =
        "Measure all-reduces by NCCL over all GPUs of this node, and check their sums. In a Slurm "
        "job: of each of its nodes, then over the GPUs of several together. A GPU that somebody "
        "else computes on is not touched. Exit status: 0 well, 1 a fault, 2 usage or "
        "configuration, 3 something could not be measured.",
};

void ce_bench_nccl_help(FILE *out, char *name)
{
    argp_help(&argp, out, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG, name);
}

/* ---------------------------------------------------------------- testing */

/* What the whole run is about. */
struct bench {
    const struct arguments *arguments;
    char name[CE_HOSTNAME_MAX + 1]; /* of this node */
    struct ce_config config;
    uint64_t began_ns;
    struct ce_nccl_runs runs;
    struct ce_findings findings, own; /* of all nodes, of this one */
};

static int read_config(struct bench *bench, struct ce_error *err)
{
    ce_autosite struct ce_site site = {.file = NULL};
    if (ce_site_open(bench->arguments->config, &site, err) < 0)
        return -1;
    ce_site_config(&site, bench->name, &bench->config);
    return 0;
}

static int write_json(const void *ctx, const char *reason, struct ce_text *out)
{
    const struct bench *bench = ctx;
    return ce_report_nccl_bench_json(bench->runs.items, bench->runs.count, &bench->findings,
                                     bench->name, reason, out);
}

static void add_tables(const void *ctx, struct ce_text *out)
{
    const struct bench *bench = ctx;
    ce_report_nccl_bench_tables(bench->runs.items, bench->runs.count, out);
}

static void judge(struct bench *bench)
{
    const struct ce_bench_policy *policy = &bench->config.policy.bench;
    const struct ce_nccl_limits limits = {policy->nccl_node_gbytes, policy->nccl_gang_gbytes,
                                          policy->below_percent};
    size_t ends[CE_NCCL_RUNS_MAX], first = 0;
    struct ce_finding *items;
    for (size_t i = 0; i < bench->runs.count; i++) {
        ce_bench_nccl_judge(&bench->runs.items[i], &limits, &bench->findings);
        ends[i] = bench->findings.count;
    }
    ce_bench_run_respond(&bench->findings, &bench->config.policy);
    items = bench->findings.items;
    for (size_t i = 0; i < bench->runs.count; first = ends[i++])
        ce_bench_nccl_own(&bench->runs.items[i], bench->name, items + first, ends[i] - first,
                          &bench->own);
}

/* Called on a login node it has nothing to say of the node that it is on. */
static enum ce_bench_keep keep_of(const struct bench *bench)
{
    struct ce_error err;
    for (size_t i = 0; i < bench->runs.count; i++)
        if (ce_nccl_run_has(&bench->runs.items[i], bench->name))
            return bench->arguments->keep;
    if (bench->arguments->keep == CE_BENCH_KEEP_YES) {
        ce_fail(&err, "nothing is kept: %s is none of the nodes that were tested", bench->name);
        ce_complain(NAME, &err, 0);
    }
    return CE_BENCH_KEEP_NO;
}

static int report(struct bench *bench)
{
    ce_automeasured struct ce_measured measured = {.count = 0};
    const struct ce_notes notes = {.count = 0};
    struct ce_root root;
    struct ce_error err;
    char boot_id[64] = "";
    if (ce_root_open(&root, "/", &err) == 0) {
        ce_root_line(&root, boot_id, sizeof boot_id, "proc/sys/kernel/random/boot_id");
        ce_root_close(&root);
    }
    ce_bench_measured_nccl(bench->runs.items, bench->runs.count, bench->name, &measured);
    const struct ce_bench_run run = {.test = "nccl",
                                     .node_name = bench->name,
                                     .boot_id = boot_id[0] ? boot_id : NULL,
                                     .began_ns = bench->began_ns,
                                     .findings = &bench->own,
                                     .measured = &measured,
                                     .notes = &notes};
    const struct ce_bench_words words = {.findings = &bench->findings,
                                         .json = bench->arguments->json ? write_json : NULL,
                                         .tables = add_tables,
                                         .ctx = bench};
    return ce_bench_report(&run, &bench->config.policy, keep_of(bench), &words);
}

static int run(struct bench *bench)
{
    const struct arguments *arguments = bench->arguments;
    bool in_job = getenv("SLURM_JOB_ID") != NULL && !arguments->here;
    struct ce_error err;
    ce_nccl_own_name(bench->name, sizeof bench->name);
    if (read_config(bench, &err) < 0)
        return ce_complain(NAME, &err, CE_EXIT_USAGE);
    int ran = in_job || arguments->count
                  ? ce_nccl_runs_job(&arguments->test, arguments->counts, arguments->count,
                                     isatty(STDERR_FILENO), &bench->runs, &err)
                  : ce_nccl_runs_here(&arguments->test, &bench->runs, &err);
    if (ran < 0)
        return ce_complain(NAME, &err, CE_EXIT_USAGE);
    judge(bench);
    return report(bench);
}

static void free_bench(struct bench *bench)
{
    ce_nccl_runs_free(&bench->runs);
    ce_findings_free(&bench->findings);
    ce_findings_free(&bench->own);
}

int ce_bench_nccl(int argc, char **argv)
{
    struct arguments arguments = {.test = {.helpers = CE_HELPER_DIR, .bytes = UINT64_C(4) << 30},
                                  .seconds = 1,
                                  .timeout = 60};
    __attribute__((cleanup(free_bench))) struct bench bench = {.arguments = &arguments,
                                                               .began_ns = ce_clock_ns()};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    arguments.test.seconds = arguments.seconds;
    arguments.test.timeout_s = arguments.timeout;
    if (arguments.part)
        return ce_nccl_part_print(&arguments.test, strcmp(arguments.part, "alone") == 0);
    return run(&bench);
}
