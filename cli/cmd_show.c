/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "launch/marker.h"
#include "report/plan.h"
#include "session/session.h"
#include "slurm/environment.h"

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

static const char *get(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

/* What the plugin was asked for here, else what a batch script hands on to its steps. */
static const char *find_option(const struct arguments *arguments, const struct ce_environ *env,
                               const struct ce_step_id *id)
{
    char step[CE_STEP_ID_TEXT];
    const char *told = ce_environ_get(env, CE_STEP_VARIABLE);
    if (arguments->option)
        return arguments->option;
    if (told && strcmp(told, ce_step_id_format(id, step)) == 0)
        return ce_environ_get(env, CE_OPTION_VARIABLE);
    return NULL;
}

static int print_plan(const struct arguments *arguments, const struct ce_plan *plan,
                      const struct ce_environ *env, const struct ce_notes *notes)
{
    ce_autotext struct ce_text out = CE_TEXT(16 << 20);
    switch (arguments->form) {
    case AS_TEXT:
        ce_report_plan_text(plan, env, arguments->all, &out);
        break;
    case AS_JSON:
        if (ce_report_plan_json(plan, env, notes, &out) < 0)
            out.failed = true;
        break;
    case AS_EXPORT:
        ce_report_plan_export(plan, &out);
        break;
    }
    for (size_t i = 0; i < notes->count && arguments->form != AS_JSON; i++)
        fprintf(stderr, "cluster-env show: %s\n", notes->line[i].text);
    return ce_print("show", &out);
}

static int show(const struct arguments *arguments, const struct ce_environ *env,
                struct ce_error *err)
{
    struct ce_request request;
    struct ce_step_id id;
    struct ce_task task;
    if (ce_slurm_identify(env, &id, err) < 0 ||
        ce_request_parse(find_option(arguments, env, &id), &request, err) < 0)
        return -1;
    ce_auto(ce_session_close) struct ce_session *session =
        ce_session_open(arguments->run_dir, env, id, &request, err);
    if (!session || ce_session_enter(session, env, &task, err) < 0)
        return -1;
    ce_auto(ce_plan_destroy) struct ce_plan *plan = ce_session_plan(session, &task, env, err);
    return plan ? print_plan(arguments, plan, env, &session->notes) : -1;
}

int ce_cmd_show(int argc, char **argv)
{
    struct arguments arguments = {.run_dir = CE_RUN_DIR};
    const struct ce_environ env = {.get = get};
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = show(&arguments, &env, &err);
    return status < 0 ? ce_complain("show", &err, CE_EXIT_USAGE) : status;
}
