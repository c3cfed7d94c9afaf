/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>

#include "command.h"
#include "config/config.h"
#include "doctor/doctor.h"
#include "local/texts.h"
#include "report/doctor.h"
#include "terminal.h"

#define COMMAND "doctor"

struct arguments {
    struct ce_doctor doctor;
    bool json;
};

enum { KEY_NODE = 256, KEY_HELPERS };

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    uint32_t seconds;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'c':
        arguments->doctor.config = arg;
        return 0;
    case 'r':
        arguments->doctor.run_dir = arg;
        return 0;
    case 't':
        if (ce_take_number(state, "--timeout", arg, 1, 600, &seconds) == 0)
            arguments->doctor.deadline_ms = seconds * 1000;
        return 0;
    case KEY_NODE:
        return ce_take_node(state, arg, &arguments->doctor.node_name);
    case KEY_HELPERS:
        arguments->doctor.helpers = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    {"config", 'c', "FILE", 0, "the configuration (" CE_CONFIG_FILE ", where it exists)", 0},
    {"node", KEY_NODE, "NAME", 0, "this node's name in Slurm (the host name up to its dot)", 0},
    {"run", 'r', "DIR", 0, "the run directory (" CE_RUN_DIR ")", 0},
    {"timeout", 't', "SECONDS", 0, "how long slurmctld, or a file, is waited for (5)", 0},
    {"helpers", KEY_HELPERS, "DIR", 0, "where slurm-node and probe-gpu are (" CE_HELPER_DIR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Tell what of this product is installed right on this head or compute node, and how to mend "
           "what is not. Nothing is changed. As root it sees most.\vExit status: 0 all is well, 1 "
           "something is not, 2 usage, 3 something could not be found out.",
};

static int print(const struct arguments *arguments, const struct ce_install *install,
                 const struct ce_findings *findings)
{
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    if (!arguments->json)
        ce_report_doctor_text(install, findings, ce_terminal_colour(), ce_terminal_columns(), &out);
    else if (ce_report_doctor_json(install, findings, &out) < 0)
        out.failed = true;
    int status = ce_print(COMMAND, &out);
    return status ? status : ce_findings_exit(findings);
}

int ce_cmd_doctor(int argc, char **argv)
{
    struct arguments arguments = {
        .doctor = {.helpers = CE_HELPER_DIR, .run_dir = CE_RUN_DIR, .deadline_ms = 5000}};
    ce_autofindings struct ce_findings findings = {.items = NULL};
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    ce_auto(ce_install_destroy) struct ce_install *install =
        ce_doctor_look(&arguments.doctor, &err);
    if (!install)
        return ce_complain(COMMAND, &err, CE_EXIT_UNKNOWN);
    ce_doctor_judge(install, &findings);
    return print(&arguments, install, &findings);
}
