/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "checks/limit.h"
#include "command.h"
#include "config/config.h"
#include "health/health.h"
#include "health/phase.h"
#include "local/texts.h"
#include "report/findings.h"
#include "report/run.h"
#include "terminal.h"

struct arguments {
    struct ce_phase phase;
    bool json, prometheus, all, list;
    uint64_t began_ns;
};

enum { KEY_ROOT = 256, KEY_NODE, KEY_FACTS, KEY_PHASE, KEY_ONLY, KEY_LIST, KEY_PROMETHEUS };

enum { PHASES_TEXT = 32 };

static error_t take_phase(struct arguments *arguments, const char *name, struct argp_state *state)
{
    for (unsigned phase = 1; ce_phase_name(phase); phase <<= 1)
        if (strcmp(ce_phase_name(phase), name) == 0) {
            arguments->phase.phase = phase;
            return 0;
        }
    argp_error(state, "--phase=%s: expected prolog, epilog or manual", name);
    return EINVAL;
}

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    struct ce_phase *phase = &arguments->phase;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case KEY_PROMETHEUS:
        arguments->prometheus = true;
        return 0;
    case 'a':
        arguments->all = true;
        return 0;
    case KEY_LIST:
        arguments->list = true;
        return 0;
    case 'c':
        phase->config = arg;
        return 0;
    case KEY_ONLY:
        phase->only = arg;
        return 0;
    case KEY_PHASE:
        return take_phase(arguments, arg, state);
    case KEY_FACTS:
        phase->machine.facts = arg;
        return 0;
    case KEY_ROOT:
        phase->machine.root = arg;
        return 0;
    case KEY_NODE:
        return ce_take_node(state, arg, &phase->node_name);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"all", 'a', NULL, 0, "also what passed, and what was skipped and why", 0},
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    {"prometheus", KEY_PROMETHEUS, NULL, 0, "print metrics for Prometheus' textfiles", 0},
    {"list", KEY_LIST, NULL, 0,
     "print the checks, as configured for this node: what a fault leads to, and what could not be "
     "found out; when they run; what they look at", 0},
    {"only", KEY_ONLY, "CHECK", 0, "run this check alone", 0},
    {"phase", KEY_PHASE, "PHASE", 0, "the checks of prolog, epilog or (default) manual", 0},
    {"config", 'c', "FILE", 0, "the configuration (" CE_CONFIG_FILE ", where it exists)", 0},
    {"facts", KEY_FACTS, "FILE", 0, "judge a text like node.facts instead of this machine", 0},
    {"root", KEY_ROOT, "DIR", 0, "read DIR/sys and DIR/proc instead of this machine's", 0},
    {"node", KEY_NODE, "NAME", 0, "this node's name in Slurm (the host name up to its dot)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Check this node as cluster-prolog and cluster-epilog do, and tell what was found. "
           "Nothing is drained. Exit status: 0 well, 1 a fault, 2 usage or configuration, 3 "
           "something could not be found out.",
};

static const char *names_of(unsigned in, char text[PHASES_TEXT])
{
    text[0] = '\0';
    for (unsigned phase = 1; ce_phase_name(phase); phase <<= 1)
        if (in & phase)
            snprintf(text + strlen(text), PHASES_TEXT - strlen(text), "%s%s", text[0] ? "," : "",
                     ce_phase_name(phase));
    return text;
}

static void add_limits(const struct ce_check *check, const struct ce_policy *policy,
                      struct ce_text *out)
{
    const struct ce_check_limit *limit = ce_check_limit_find(check->name);
    uint32_t deadline_ms = ce_check_rules_deadline(&policy->checks, check->name);
    if (limit)
        ce_text_addf(out, " (limit %u %s)", ce_health_limit(check, policy), limit->unit);
    if (deadline_ms && ce_patience_concerns(check->name))
        ce_text_addf(out, " (deadline %g s)", deadline_ms / 1000.0);
    ce_text_add(out, "\n");
}

static int print_list(const struct arguments *arguments)
{
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    const struct ce_check *check;
    struct ce_policy policy;
    struct ce_error err;
    enum ce_response fault, unknown;
    char names[PHASES_TEXT];
    if (ce_phase_policy(arguments->phase.config, arguments->phase.node_name, &policy, &err) < 0)
        return ce_complain("check", &err, CE_EXIT_USAGE);
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++) {
        ce_health_responses(check, &policy, &fault, &unknown);
        ce_text_addf(&out, "%-32s %-6s %-6s %-20s %s", check->name, ce_response_name(fault),
                     ce_response_name(unknown), names_of(check->phases, names), check->doc);
        add_limits(check, &policy, &out);
    }
    return ce_print("check", &out);
}

/* Who asks by hand drains nothing. */
static struct ce_run run_of(const struct arguments *arguments, const struct ce_phase_result *result)
{
    const unsigned took_ms = ce_clock_ms_since(arguments->began_ns);
    return (struct ce_run){
        .phase = ce_phase_name(arguments->phase.phase),
        .node = result->node_name,
        .boot_id = result->boot_id,
        .mode = ce_mode_name(result->policy.mode),
        .began = time(NULL) - took_ms / 1000,
        .took_ms = took_ms,
        .reason = result->reason.text,
        .done = result->reason.text[0] ? CE_DONE_OBSERVED : CE_DONE_NOTHING,
        .equipment = result->equipment,
        .findings = &result->findings,
        .notes = &result->notes,
    };
}

static int print_result(const struct arguments *arguments, const struct ce_phase_result *result)
{
    ce_autotext struct ce_text out = CE_TEXT(16 << 20);
    const struct ce_run run = run_of(arguments, result);
    if (arguments->prometheus)
        ce_report_run_metrics(&run, &out);
    else if (!arguments->json)
        ce_report_findings_text(&result->findings, arguments->all, ce_terminal_colour(),
                                ce_terminal_columns(), &out);
    else if (ce_report_run_json(&run, &out) < 0)
        out.failed = true;
    int status = ce_print("check", &out);
    return status ? status : ce_findings_exit(&result->findings);
}

/* NVML and libibverbs are this machine's. */
static void ask_drivers(struct ce_machine *machine)
{
    if (machine->facts || strcmp(machine->root, "/") != 0)
        return;
    machine->helpers = CE_HELPER_DIR;
    machine->run_dir = CE_RUN_DIR;
}

int ce_cmd_check(int argc, char **argv)
{
    struct arguments arguments = {.phase = {.phase = CE_MANUAL, .machine.root = "/"}};
    ce_autophase struct ce_phase_result result = {.node_name = ""};
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (arguments.list)
        return print_list(&arguments);
    arguments.began_ns = ce_clock_ns();
    ask_drivers(&arguments.phase.machine);
    int failed = ce_phase_run(&arguments.phase, &result, &err);
    ce_print_notes("check", &result.notes);
    if (failed)
        return ce_complain("check", &err, result.misconfigured ? CE_EXIT_USAGE : CE_EXIT_UNKNOWN);
    return print_result(&arguments, &result);
}
