/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "bench.h"
#include "bench_report.h"
#include "checks/bench_measured.h"
#include "checks/rdma_bench.h"
#include "command.h"
#include "config/site.h"
#include "health/machine.h"
#include "launch/gid.h"
#include "launch/locality.h"
#include "launch/rails.h"
#include "local/texts.h"
#include "probe/rdma_helper.h"
#include "progress.h"
#include "report/rdma_bench.h"

#define COMMAND "bench rdma"

enum { TCP_PORT = 28515, SECONDS_MAX = 600, WAIT_MAX = 3600, SLACK_MS = 5000 };

struct arguments {
    const char *config, *node_name, *helpers, *rail;
    const char *listen, *peer, *gpu;
    uint32_t tcp_port, seconds, wait;
    bool json, ring, gpu_memory;
    enum ce_bench_keep keep;
};

/* ---------------------------------------------------------------- arguments */

enum { KEY_NODE = 256, KEY_HELPERS, KEY_RAIL, KEY_RING, KEY_LISTEN, KEY_PEER, KEY_PORT, KEY_WAIT, KEY_MEMORY, KEY_GPU };

/* Every address of the machine would be open to whoever can reach one of them. */
static const char *take_address(struct argp_state *state, const char *name, const char *arg)
{
    struct ce_address address;
    if (ce_address_parse(arg, &address) < 0 ||
        (!ce_address_is_usable(&address) && !ce_address_is_loopback(&address)))
        argp_error(state, "--%s=%s: expected one address, not a name", name, arg);
    return arg;
}

static error_t take_memory(struct arguments *arguments, const char *arg, struct argp_state *state)
{
    arguments->gpu_memory = strcmp(arg, "gpu") == 0;
    if (!arguments->gpu_memory && strcmp(arg, "host") != 0)
        argp_error(state, "--memory=%.40s: expected host or gpu", arg);
    return 0;
}

static error_t take_gpu(struct arguments *arguments, const char *arg, struct argp_state *state)
{
    if (strlen(arg) >= CE_PCI_ADDRESS || strspn(arg, "0123456789abcdefABCDEF:.") != strlen(arg))
        argp_error(state, "--gpu=%.40s: expected a PCI address, 0000:1b:00.0", arg);
    arguments->gpu = arg;
    arguments->gpu_memory = true;
    return 0;
}

static void check_arguments(const struct arguments *arguments, struct argp_state *state)
{
    if (!!arguments->listen + !!arguments->peer + arguments->ring > 1)
        argp_error(state, "--listen, --peer and --ring exclude one another");
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
    case 's':
        return ce_take_number(state, "--seconds", arg, 1, SECONDS_MAX, &arguments->seconds);
    case KEY_NODE:
        return ce_take_node(state, arg, &arguments->node_name);
    case KEY_HELPERS:
        arguments->helpers = arg;
        return 0;
    case KEY_RAIL:
        arguments->rail = arg;
        return 0;
    case KEY_RING:
        arguments->ring = true;
        return 0;
    case KEY_LISTEN:
        arguments->listen = take_address(state, "listen", arg);
        return 0;
    case KEY_PEER:
        arguments->peer = take_address(state, "peer", arg);
        return 0;
    case KEY_PORT:
        return ce_take_number(state, "--tcp-port", arg, 1, 65535, &arguments->tcp_port);
    case KEY_WAIT:
        return ce_take_number(state, "--wait", arg, 1, WAIT_MAX, &arguments->wait);
    case KEY_MEMORY:
        return take_memory(arguments, arg, state);
    case KEY_GPU:
        return take_gpu(arguments, arg, state);
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ce_bench_take_keep(key, &arguments->keep);
    }
}

static const struct argp_option options[] = {
    {"listen", KEY_LISTEN, "ADDRESS", 0, "with another node: meet it at this address of this node", 0},
    {"peer", KEY_PEER, "ADDRESS", 0, "with another node: meet the one that listens at ADDRESS", 0},
    {"ring", KEY_RING, NULL, 0, "each rail to the next one, instead of to itself", 0},
    {"rail", KEY_RAIL, "NAME", 0, "this HCA alone, also where it is no rail: mlx5_1 or mlx5_1/1", 0},
    {"memory", KEY_MEMORY, "host|gpu", 0, "whose memory is written from and to: (default) the host's, or that of the GPU nearest to the rail", 0},
    {"gpu", KEY_GPU, "PCI", 0, "the memory of this GPU, 0000:1b:00.0", 0},
    {"seconds", 's', "N", 0, "how long to write (1)", 0},
    {"wait", KEY_WAIT, "SECONDS", 0, "how long to wait for the other node (60)", 0},
    {"tcp-port", KEY_PORT, "N", 0, "where the nodes meet (28515)", 0},
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    CE_BENCH_REPORT_OPTIONS,
    {"config", 'c', "FILE", 0, "the configuration (" CE_CONFIG_FILE ", where it exists)", 0},
    {"node", KEY_NODE, "NAME", 0, "this node's name in Slurm (the host name up to its dot)", 0},
    {"helpers", KEY_HELPERS, "DIR", 0, "where bench-rdma is (" CE_HELPER_DIR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Measure the RDMA write bandwidth and the latency of each rail of this node, one after "
           "the other, from host memory or that of a GPU. Exit status: 0 well, 1 a fault, 2 usage or "
           "configuration, 3 something could not be measured.",
};

void ce_bench_rdma_help(FILE *out, char *name)
{
    argp_help(&argp, out, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG, name);
}

/* ---------------------------------------------------------------- what is tested */

struct places {
    struct ce_rdma_place *items;
    size_t count;
};

static bool is_named(const char *name, const struct ce_rail *rail)
{
    char full[CE_HCA_NAME + 16];
    snprintf(full, sizeof full, "%s/%u", rail->hca->name, rail->port->number);
    return strcmp(name, full) == 0 || strcmp(name, rail->hca->name) == 0;
}

/* Of NVIDIA's GPUs; NULL: there is none, or nobody can tell. */
static const char *nearest_gpu(const struct ce_node *node, const struct ce_hca *hca)
{
    enum ce_distance nearest = CE_DISTANCE_UNKNOWN;
    const char *address = NULL;
    for (unsigned i = 0; i < node->gpu_count; i++) {
        enum ce_distance distance = ce_locality_distance(node, hca, i);
        if (!node->gpus[i].address[0] || !ce_pci_may_be_nvidia(&node->gpus[i]) || !distance ||
            (nearest && distance >= nearest))
            continue;
        nearest = distance;
        address = node->gpus[i].address;
    }
    return address;
}

static const char *choose_gpu(const struct arguments *arguments, const struct ce_node *node,
                              const struct ce_hca *hca)
{
    if (!arguments->gpu_memory)
        return NULL;
    return arguments->gpu ? arguments->gpu : nearest_gpu(node, hca);
}

static int fill_places(const struct arguments *arguments, const struct ce_node *node,
                       const struct ce_rails *rails, struct places *ret, struct ce_error *err)
{
    const char *only = arguments->rail;
    ret->items = calloc(rails->port_count + 1, sizeof *ret->items);
    if (!ret->items)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < rails->port_count; i++) {
        const struct ce_rail *rail = &rails->ports[i];
        const struct ce_gid *gid = ce_gid_choose(rail->port);
        if (only ? is_named(only, rail) : rail->chosen)
            ret->items[ret->count++] =
                (struct ce_rdma_place){rail->hca, rail->port, gid ? gid->index : 0,
                                       choose_gpu(arguments, node, rail->hca)};
    }
    return 0;
}

/* Nothing to test: why, and is that a fault? */
static void add_nothing(const struct ce_rails *rails, bool unread, struct ce_findings *out)
{
    bool unsure = unread || rails->verdict == CE_RAILS_UNSURE;
    ce_findings_add(out, unsure ? CE_UNKNOWN : CE_SKIP, "", "%s",
                    unread ? "the RDMA devices could not be read" : rails->reason);
    if (out->lost)
        return;
    out->items[out->count - 1].check = "bench.rdma.write";
    out->items[out->count - 1].response = CE_TELL;
}

/* ---------------------------------------------------------------- testing */

/* Who has met the other node once needs not wait for it long: it is on its way to the next rail.
 * Nor will it come for a rail where it did not for the one before. */
static void run_tests(const struct arguments *arguments, const struct places *places,
                      struct ce_rdma_result *results)
{
    unsigned time_ms = arguments->seconds * 1000, wait_ms = arguments->wait * 1000,
             again_ms = ce_rdma_limit_ms(time_ms) + SLACK_MS;
    struct ce_rdma_test test = {.helpers = arguments->helpers,
                                .listen = arguments->listen,
                                .peer = arguments->peer,
                                .tcp_port = arguments->tcp_port,
                                .rails = places->count,
                                .time_ms = time_ms,
                                .wait_ms = wait_ms};
    for (size_t i = 0; i < places->count; i++) {
        test.rail = i;
        test.own = places->items[i];
        if (arguments->ring)
            test.to = places->items[(i + 1) % places->count];
        if (arguments->gpu_memory && !test.own.gpu) {
            ce_rdma_test_name(&test, &results[i]);
            ce_rdma_fail(&results[i], CE_RDMA_NO_GPU, "no GPU of NVIDIA's is known to be near it; "
                         "--gpu names one");
            continue;
        }
        if (i > 0 && results[i - 1].outcome == CE_RDMA_ALONE) {
            results[i] = results[i - 1];
            ce_rdma_test_name(&test, &results[i]);
            continue;
        }
        ce_rdma_test_name(&test, &results[i]);
        ce_progress("%s: rail %zu of %zu, at most %u s%s", results[i].subject, i + 1, places->count,
                    ce_rdma_limit_ms(time_ms) / 1000,
                    test.listen || test.peer ? " once the other node is there" : "");
        ce_rdma_test_run(&test, &results[i]);
        test.wait_ms = wait_ms < again_ms ? wait_ms : again_ms;
    }
    ce_progress_end();
}

/* What the whole run is about. */
struct bench {
    const struct arguments *arguments;
    const struct ce_node *node;
    const char *name;
    const struct ce_rails *rails;
    const struct ce_policy *policy;
    uint64_t began_ns;
    struct places places;
    struct ce_rdma_result *results;
    struct ce_findings findings;
};

static int write_json(const void *ctx, const char *reason, struct ce_text *out)
{
    const struct bench *bench = ctx;
    return ce_report_rdma_bench_json(bench->results, bench->places.count, &bench->findings,
                                     bench->name, reason, out);
}

static int report(const struct bench *bench, const struct ce_notes *notes)
{
    ce_automeasured struct ce_measured measured = {.count = 0};
    ce_bench_measured_rails(bench->results, bench->places.count, &measured);
    const struct ce_bench_run run = {.test = "rdma",
                                     .node_name = bench->name,
                                     .boot_id = bench->node->boot_id,
                                     .began_ns = bench->began_ns,
                                     .findings = &bench->findings,
                                     .measured = &measured,
                                     .notes = notes};
    const struct ce_bench_words words = {.findings = &bench->findings,
                                         .json = bench->arguments->json ? write_json : NULL,
                                         .ctx = bench};
    return ce_bench_report(&run, bench->policy, bench->arguments->keep, &words);
}

static void free_bench(struct bench *bench)
{
    free(bench->places.items);
    free(bench->results);
    ce_findings_free(&bench->findings);
}

static int test_and_report(struct bench *bench, const struct ce_notes *notes)
{
    const struct ce_bench_policy *policy = &bench->policy->bench;
    const struct ce_rdma_limits limits = {policy->write_gbps, policy->gpu_gbps, policy->latency_us,
                                          policy->below_percent};
    const char *only = bench->arguments->rail;
    struct ce_error err;
    if (fill_places(bench->arguments, bench->node, bench->rails, &bench->places, &err) < 0)
        return ce_complain(COMMAND, &err, CE_EXIT_UNKNOWN);
    bench->results = calloc(bench->places.count + 1, sizeof *bench->results);
    if (!bench->results)
        return ce_complain(COMMAND, (ce_fail(&err, "no memory"), &err), CE_EXIT_UNKNOWN);
    if (only && bench->places.count == 0) {
        ce_fail(&err, "this node has no HCA '%.80s'; 'cluster-env topology' lists them", only);
        return ce_complain(COMMAND, &err, CE_EXIT_USAGE);
    }
    if (bench->places.count == 0)
        add_nothing(bench->rails, bench->node->hcas_unread, &bench->findings);
    run_tests(bench->arguments, &bench->places, bench->results);
    ce_rdma_bench_judge(bench->results, bench->places.count, &limits, &bench->findings);
    ce_bench_run_respond(&bench->findings, bench->policy);
    return report(bench, notes);
}

static int prepare(const struct arguments *arguments, struct ce_rails *rails)
{
    uint64_t began_ns = ce_clock_ns();
    const struct ce_machine machine = {.root = "/"};
    ce_autosite struct ce_site site = {.file = NULL};
    struct ce_notes notes = {.count = 0};
    struct ce_config config;
    struct ce_error err;
    char name[256];
    if (ce_site_open(arguments->config, &site, &err) < 0)
        return ce_complain(COMMAND, &err, CE_EXIT_USAGE);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_machine_facts(&machine, NULL, &notes, &err);
    ce_print_notes(COMMAND, &notes);
    if (!node || ce_rails_choose(node, rails, &err) < 0)
        return ce_complain(COMMAND, &err, CE_EXIT_UNKNOWN);
    ce_machine_name(node, arguments->node_name, name, sizeof name);
    ce_site_config(&site, name, &config);
    __attribute__((cleanup(free_bench))) struct bench bench = {.arguments = arguments,
                                                               .node = node,
                                                               .name = name,
                                                               .rails = rails,
                                                               .policy = &config.policy,
                                                               .began_ns = began_ns};
    return test_and_report(&bench, &notes);
}

int ce_bench_rdma(int argc, char **argv)
{
    struct arguments arguments = {
        .helpers = CE_HELPER_DIR, .tcp_port = TCP_PORT, .seconds = 1, .wait = 60};
    struct ce_rails rails = {.ports = NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = prepare(&arguments, &rails);
    ce_rails_free(&rails);
    return status;
}
