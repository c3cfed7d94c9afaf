/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>

#include "command.h"
#include "open_job.h"
#include "report/cluster.h"

struct arguments {
    bool json;
    const char *run_dir;
};

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'r':
        arguments->run_dir = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    {"run", 'r', "DIR", 0, "read node.facts, node.policy and hosts from DIR (" CE_RUN_DIR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Print this task's rank, the size of the step, and the name and address of every node in "
           "rank order, also where the list is too long for a variable.",
};

int ce_cmd_info(int argc, char **argv)
{
    struct arguments arguments = {.run_dir = CE_RUN_DIR};
    ce_autojob struct ce_job job = {.session = NULL};
    ce_autotext struct ce_text out = CE_TEXT(64 << 20);
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (ce_open_job(arguments.run_dir, NULL, &job, &err) < 0)
        return ce_complain("info", &err, CE_EXIT_USAGE);
    struct ce_view view = ce_job_view(&job);
    if (!arguments.json)
        ce_report_info_text(&view, &out);
    else if (ce_report_info_json(&view, &out) < 0)
        out.failed = true;
    ce_print_notes("info", &job.session->notes);
    return ce_print("info", &out);
}
