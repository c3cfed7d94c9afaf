/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdlib.h>

#include "base/parse.h"
#include "command.h"
#include "open_job.h"
#include "report/cluster.h"

struct arguments {
    enum ce_hostfile format;
    uint32_t slots; /* 0: as many as the node has GPUs or tasks */
    const char *run_dir;
};

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'f':
        if (ce_hostfile_parse(arg, &arguments->format) < 0)
            argp_error(state, "'%s' is not a format; valid are: " CE_HOSTFILE_FORMATS, arg);
        return 0;
    case 's':
        if (ce_parse_u32(arg, 1, 65536, &arguments->slots) < 0)
            argp_error(state, "--slots=%s: expected a number from 1 to 65536", arg);
        return 0;
    case 'r':
        arguments->run_dir = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, CE_HOSTFILE_FORMATS " (names)", 0},
    {"slots", 's', "N", 0, "processes per node (its GPUs; without GPUs its tasks)", 0},
    {"run", 'r', "DIR", 0, "read node.facts, node.policy and hosts from DIR (" CE_RUN_DIR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Print a host file of the step's or job's nodes in rank order, as MPI, DeepSpeed and "
           "Horovod launchers take it.",
};

static uint32_t *find_slots(const struct arguments *arguments, const struct ce_job *job)
{
    uint32_t count = job->session->cluster.node_count;
    uint32_t same = arguments->slots ? arguments->slots : job->task.gpus_on_node;
    uint32_t *slots = calloc(count, sizeof *slots);
    for (uint32_t i = 0; slots && i < count; i++)
        slots[i] = same ? same : job->session->allocation.tasks[i];
    return slots;
}

static int print_hostfile(const struct arguments *arguments, struct ce_job *job,
                          struct ce_error *err)
{
    ce_autotext struct ce_text out = CE_TEXT(64 << 20);
    ce_autofree uint32_t *slots = find_slots(arguments, job);
    struct ce_view view = ce_job_view(job);
    if (!slots)
        return ce_fail(err, "no memory");
    if (ce_report_hostfile(&view, arguments->format, slots, &out, err) < 0)
        return -1;
    ce_print_notes("hostfile", &job->session->notes);
    return ce_print("hostfile", &out);
}

int ce_cmd_hostfile(int argc, char **argv)
{
    struct arguments arguments = {.run_dir = CE_RUN_DIR};
    ce_autojob struct ce_job job = {.session = NULL};
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (ce_open_job(arguments.run_dir, NULL, &job, &err) < 0)
        return ce_complain("hostfile", &err, CE_EXIT_USAGE);
    int status = print_hostfile(&arguments, &job, &err);
    return status < 0 ? ce_complain("hostfile", &err, CE_EXIT_UNKNOWN) : status;
}
