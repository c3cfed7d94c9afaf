/* SPDX-License-Identifier: Apache-2.0 */
#include "nccl_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "command.h"
#include "nccl_part.h"
#include "probe/nccl_step.h"
#include "session/job.h"
#include "slurm/environment.h"

int ce_nccl_counts_parse(const char *text, uint32_t counts[CE_NCCL_RUNS_MAX], struct ce_error *err)
{
    int count = 0;
    for (const char *at = text;; at++) {
        uint64_t number;
        if (ce_parse_digits(at, CE_NCCL_NODES_MAX, &number, &at) < 0 || number == 0 ||
            (*at != '\0' && *at != ',') || count == CE_NCCL_RUNS_MAX - 1 ||
            (count > 0 && number <= counts[count - 1]))
            return ce_fail(err, "'%.60s': expected numbers of nodes that grow, as in 2,4,8", text);
        counts[count++] = (uint32_t)number;
        if (!*at)
            return count;
    }
}

void ce_nccl_runs_free(struct ce_nccl_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        free(runs->items[i].parts);
    runs->count = 0;
}

/* NULL: no memory. */
static struct ce_nccl_run *add_run(struct ce_nccl_runs *runs, uint32_t nodes, bool alone,
                                   struct ce_error *err)
{
    struct ce_nccl_run *run = &runs->items[runs->count];
    *run = (struct ce_nccl_run){.nodes = nodes, .alone = alone};
    run->parts = calloc(nodes, sizeof *run->parts);
    if (!run->parts) {
        ce_fail(err, "no memory");
        return NULL;
    }
    runs->count++;
    return run;
}

int ce_nccl_runs_here(const struct ce_nccl_test *test, struct ce_nccl_runs *runs,
                      struct ce_error *err)
{
    struct ce_nccl_run *run = add_run(runs, 1, true, err);
    if (!run)
        return -1;
    ce_nccl_part_run(test, true, run->parts);
    return 0;
}

/* ---------------------------------------------------------------- a job's nodes */

struct job {
    const struct ce_nccl_test *test;
    struct ce_allocation allocation;
    const char *command;
    char path[4096];
    bool progress;
};

static int find_job(struct ce_allocation *ret, struct ce_error *err)
{
    const struct ce_environ env = ce_process_environ();
    struct ce_step_id id;
    if (ce_slurm_identify(&env, &id, err) < 0)
        return -1;
    if (id.kind == CE_STEP_TASKS)
        return ce_fail(
            err, "it is a task of a step, and starts a step itself; call it in the batch script "
                 "or in salloc's shell, not by srun, or for this node alone with --here");
    return ce_slurm_allocation(&env, id, ret, err);
}

static void show_progress(const struct job *job, const struct ce_nccl_run *run)
{
    if (job->progress && run->alone)
        dprintf(STDERR_FILENO, "bench nccl: %u nodes, each alone ...\n", run->nodes);
    else if (job->progress)
        dprintf(STDERR_FILENO, "bench nccl: %u nodes together ...\n", run->nodes);
}

static int run_step(const struct job *job, struct ce_nccl_run *run, struct ce_error *err)
{
    const struct ce_nccl_step step = {.command = job->command,
                                      .test = job->test,
                                      .envp = environ,
                                      .nodes = run->nodes,
                                      .alone = run->alone};
    for (uint32_t i = 0; i < run->nodes; i++)
        snprintf(run->parts[i].name, sizeof run->parts[i].name, "%s",
                 ce_hostlist_name(job->allocation.nodes, i));
    show_progress(job, run);
    return ce_nccl_step_run(&step, run->parts, err);
}

/* A gang of nodes that have to wait for one that cannot come would only wait. */
static bool may_run(const struct ce_nccl_run *alone, struct ce_nccl_run *run)
{
    for (uint32_t i = 0; i < run->nodes; i++)
        if (alone->parts[i].outcome != CE_NCCL_DONE) {
            snprintf(run->not_run, sizeof run->not_run, "%.100s could not be measured alone",
                     alone->parts[i].name);
            return false;
        }
    return true;
}

static int run_all(const struct job *job, const uint32_t *counts, size_t count,
                   struct ce_nccl_runs *runs, struct ce_error *err)
{
    struct ce_nccl_run *run, *alone = add_run(runs, counts[count - 1], true, err);
    if (!alone || run_step(job, alone, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (counts[i] < 2)
            continue;
        run = add_run(runs, counts[i], false, err);
        if (!run)
            return -1;
        if (may_run(alone, run) && run_step(job, run, err) < 0)
            return -1;
    }
    return 0;
}

int ce_nccl_runs_job(const struct ce_nccl_test *test, const uint32_t *counts, size_t count,
                     bool progress, struct ce_nccl_runs *runs, struct ce_error *err)
{
    struct job job = {.test = test, .progress = progress};
    if (find_job(&job.allocation, err) < 0)
        return -1;
    job.command = ce_own_path(job.path, sizeof job.path);
    uint32_t nodes = ce_allocation_node_count(&job.allocation);
    int status = -1;
    if (job.allocation.order != CE_ORDER_NODEID && job.allocation.order != CE_ORDER_JOB)
        ce_fail(err,
                "the nodes of this job have an order of their own, heterogeneous or arbitrary; "
                "use a job without that, or --here on each node");
    else if (count && counts[count - 1] > nodes)
        ce_fail(err, "-N asks for %u nodes, the job has %u", counts[count - 1], nodes);
    else
        status =
            count ? run_all(&job, counts, count, runs, err) : run_all(&job, &nodes, 1, runs, err);
    ce_allocation_free(&job.allocation);
    return status;
}
