/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "bench.h"
#include "bench_report.h"
#include "checks/bench_gpu.h"
#include "checks/bench_measured.h"
#include "command.h"
#include "config/site.h"
#include "health/machine.h"
#include "local/texts.h"
#include "probe/bench_helper.h"
#include "progress.h"
#include "report/gpu_bench.h"

#define NAME "bench gpu"

struct arguments {
    struct ce_bench_helper helper;
    struct ce_bench_limits limits;
    struct ce_machine machine;
    const char *config, *node_name;
    uint32_t seconds, share, timeout, below;
    enum ce_bench_keep keep;
    bool json;
};

enum { KEY_ROOT = 256, KEY_NODE, KEY_HELPERS, KEY_SHARE, KEY_BELOW, KEY_FLOOR, KEY_TIMEOUT };
enum { SECONDS_MAX = 3600, GB_MAX = 100000, NOT_SAID = 100 };

/* "h2d=48" */
static error_t take_floor(struct arguments *arguments, const char *text, struct argp_state *state)
{
    const char *equals = strchr(text, '=');
    for (int i = CE_TEST_H2D; equals && i <= CE_TEST_P2P; i++) {
        const char *name = ce_gpu_test_name((enum ce_gpu_test)i);
        if (strlen(name) == (size_t)(equals - text) &&
            strncmp(name, text, (size_t)(equals - text)) == 0)
            return ce_take_number(state, "--floor", equals + 1, 1, GB_MAX,
                               &arguments->limits.floors[i]);
    }
    argp_error(state, "--floor=%.40s: expected h2d=GBPS, d2h=GBPS, d2d=GBPS or p2p=GBPS", text);
    return 0;
}

static error_t take_tests(struct arguments *arguments, const char *text, struct argp_state *state)
{
    struct ce_error err;
    if (ce_gpu_tests_parse(text, &arguments->helper.tests, &err) < 0)
        argp_error(state, "--tests: %s", err.text);
    return 0;
}

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 't':
        return take_tests(arguments, arg, state);
    case 's':
        return ce_take_number(state, "--seconds", arg, 1, SECONDS_MAX, &arguments->seconds);
    case KEY_SHARE:
        return ce_take_number(state, "--share", arg, 1, 100, &arguments->share);
    case KEY_BELOW:
        return ce_take_number(state, "--below", arg, 0, 99, &arguments->below);
    case KEY_TIMEOUT:
        return ce_take_number(state, "--timeout", arg, 1, SECONDS_MAX, &arguments->timeout);
    case KEY_FLOOR:
        return take_floor(arguments, arg, state);
    case KEY_HELPERS:
        arguments->helper.dir = arg;
        return 0;
    case 'c':
        arguments->config = arg;
        return 0;
    case KEY_ROOT:
        arguments->machine.root = arg;
        return 0;
    case KEY_NODE:
        return ce_take_node(state, arg, &arguments->node_name);
    default:
        return ce_bench_take_keep(key, &arguments->keep);
    }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    {"tests", 't', "LIST", 0, "of h2d,d2h,d2d,p2p,memory,load (all)", 0},
    {"seconds", 's', "N", 0, "the most that each test measures on a GPU (2)", 0},
    {"share", KEY_SHARE, "PERCENT", 0, "of the free memory, for the memory test (90)", 0},
    {"floor", KEY_FLOOR, "TEST=GBPS", 0, "what is less is a fault, instead of what the model should have", 0},
    {"below", KEY_BELOW, "PERCENT", 0, "name GPUs so much below their median (bench.below_median, 5; 0: none)", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "the most that a driver may need to start and end (30)", 0},
    CE_BENCH_REPORT_OPTIONS,
    {"config", 'c', "FILE", 0, "the configuration (" CE_CONFIG_FILE ", where it exists)", 0},
    {"helpers", KEY_HELPERS, "DIR", 0, "the helpers (" CE_HELPER_DIR ")", 0},
    {"root", KEY_ROOT, "DIR", 0, "look for GPUs in DIR/sys instead of this machine's", 0},
    {"node", KEY_NODE, "NAME", 0, "this node's name in Slurm (the host name up to its dot)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Test this node's NVIDIA GPUs by using them: copies to and from the host, within their "
           "memory and to each other, patterns in their memory, computing. A GPU that somebody "
           "else computes on is not touched. Exit status: 0 well, 1 a fault, 2 usage or "
           "configuration, 3 something could not be found out.",
};

void ce_bench_gpu_help(FILE *out, char *name)
{
    argp_help(&argp, out, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG, name);
}

/* ---------------------------------------------------------------- the GPUs of the node */

static size_t find_gpus(const struct ce_node *node, struct ce_gpu_bench *gpus)
{
    size_t count = 0;
    for (unsigned i = 0; i < node->gpu_count && count < CE_GPUS_MAX; i++)
        if (node->gpus[i].address[0] && ce_pci_may_be_nvidia(&node->gpus[i]))
            ce_gpu_bench_init(&gpus[count++], node->gpus[i].address);
    return count;
}

/* ---------------------------------------------------------------- what was found */

struct result {
    const char *node_name;
    const struct ce_gpu_bench *gpus;
    size_t count;
    struct ce_findings findings;
};

static int write_json(const void *ctx, const char *reason, struct ce_text *out)
{
    const struct result *result = ctx;
    return ce_report_gpu_bench_json(result->gpus, result->count, &result->findings,
                                    result->node_name, reason, out);
}

/* A recorded tree is not this node: nothing of it is kept unasked. */
static enum ce_bench_keep keep_of(const struct arguments *arguments)
{
    bool elsewhere = strcmp(arguments->machine.root, "/") != 0;
    return elsewhere && arguments->keep == CE_BENCH_KEEP_ROOT ? CE_BENCH_KEEP_NO : arguments->keep;
}

static int report(const struct arguments *arguments, const struct ce_policy *policy,
                  const struct ce_node *node, uint64_t began_ns, struct result *result)
{
    ce_automeasured struct ce_measured measured = {.count = 0};
    struct ce_notes notes = {.count = 0};
    struct ce_bench_limits limits = arguments->limits;
    if (arguments->below != NOT_SAID)
        limits.below = arguments->below;
    else
        limits.below = policy->bench.below_percent;
    ce_bench_gpus_judge(result->gpus, result->count, &limits, &result->findings);
    ce_bench_run_respond(&result->findings, policy);
    ce_bench_measured_gpus(result->gpus, result->count, &measured);
    const struct ce_bench_run run = {.test = "gpu",
                                     .node_name = result->node_name,
                                     .boot_id = node->boot_id,
                                     .began_ns = began_ns,
                                     .findings = &result->findings,
                                     .measured = &measured,
                                     .notes = &notes};
    const struct ce_bench_words words = {.findings = &result->findings,
                                         .json = arguments->json ? write_json : NULL,
                                         .ctx = result};
    return ce_bench_report(&run, policy, keep_of(arguments), &words);
}

static int test(const struct arguments *arguments, const struct ce_site *site,
                const struct ce_node *node, uint64_t began_ns)
{
    struct ce_config config;
    struct ce_error err;
    char name[256];
    ce_machine_name(node, arguments->node_name, name, sizeof name);
    ce_site_config(site, name, &config);
    ce_autofree struct ce_gpu_bench *gpus = calloc(CE_GPUS_MAX, sizeof *gpus);
    if (!gpus) {
        ce_fail(&err, "no memory");
        return ce_complain(NAME, &err, CE_EXIT_UNKNOWN);
    }
    struct result result = {.node_name = name, .gpus = gpus, .count = find_gpus(node, gpus)};
    ce_progress("testing %zu GPUs", result.count);
    ce_bench_gpus(&arguments->helper, gpus, result.count);
    ce_progress_end();
    int status = report(arguments, &config.policy, node, began_ns, &result);
    ce_findings_free(&result.findings);
    return status;
}

int ce_bench_gpu(int argc, char **argv)
{
    struct arguments arguments = {
        .helper = {.dir = CE_HELPER_DIR, .tests = ~0U},
        .machine.root = "/",
        .seconds = 2,
        .share = 90,
        .timeout = 30,
        .below = NOT_SAID,
    };
    ce_autosite struct ce_site site = {.file = NULL};
    struct ce_notes notes = {.count = 0};
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    uint64_t began_ns = ce_clock_ns();
    arguments.helper.seconds = arguments.seconds;
    arguments.helper.share = arguments.share;
    arguments.helper.start_ms = arguments.timeout * 1000;
    if (ce_site_open(arguments.config, &site, &err) < 0)
        return ce_complain(NAME, &err, CE_EXIT_USAGE);
    ce_auto(ce_node_destroy) struct ce_node *node =
        ce_machine_facts(&arguments.machine, NULL, &notes, &err);
    if (!node)
        return ce_complain(NAME, &err, CE_EXIT_UNKNOWN);
    return test(&arguments, &site, node, began_ns);
}
