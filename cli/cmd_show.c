/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>

#include "command.h"
#include "open_job.h"
#include "report/plan.h"

struct arguments {
    enum { AS_TEXT, AS_JSON, AS_EXPORT } form;
    bool all;
    const char *run_dir;
    const char *option;
};

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->form = AS_JSON;
        return 0;
    case 'e':
        arguments->form = AS_EXPORT;
        return 0;
    case 'a':
        arguments->all = true;
        return 0;
    case 'r':
        arguments->run_dir = arg;
        return 0;
    case 'o':
        arguments->option = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    {"export", 'e', NULL, 0, "print shell commands: eval \"$(cluster-env show --export)\"", 0},
    {"all", 'a', NULL, 0, "also variables that are not written here, with the reason", 0},
    {"option", 'o', "ITEMS", 0, "as if srun --cluster-env=ITEMS had been given", 0},
    {"run", 'r', "DIR", 0, "read node.facts, node.policy and hosts from DIR (" CE_RUN_DIR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Show the variables of this task, batch script or salloc shell: name, value, where it "
           "came from. Works inside a Slurm job, also where the plugin is not installed.",
};

static int print_plan(const struct arguments *arguments, const struct ce_plan *plan,
                      const struct ce_environ *env, const struct ce_job *job)
{
    ce_autotext struct ce_text out = CE_TEXT(16 << 20);
    switch (arguments->form) {
    case AS_TEXT:
        ce_report_plan_text(plan, env, arguments->all, &out);
        break;
    case AS_JSON:
        if (ce_report_plan_json(plan, env, &job->session->notes, &out) < 0)
            out.failed = true;
        break;
    case AS_EXPORT:
        ce_report_plan_export(plan, &out);
        break;
    }
    if (arguments->form != AS_JSON)
        ce_print_notes("show", &job->session->notes);
    return ce_print("show", &out);
}

int ce_cmd_show(int argc, char **argv)
{
    struct arguments arguments = {.run_dir = CE_RUN_DIR};
    const struct ce_environ env = ce_process_environ();
    ce_autojob struct ce_job job = {.session = NULL};
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (ce_open_job(arguments.run_dir, arguments.option, &job, &err) < 0)
        return ce_complain("show", &err, CE_EXIT_USAGE);
    ce_auto(ce_plan_destroy) struct ce_plan *plan =
        ce_session_plan(job.session, &job.task, &env, &err);
    return plan ? print_plan(&arguments, plan, &env, &job)
                : ce_complain("show", &err, CE_EXIT_UNKNOWN);
}
