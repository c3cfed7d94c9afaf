/* SPDX-License-Identifier: Apache-2.0 */
#include "task_end.h"

#include <signal.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "controller.h"
#include "step_end.h"

enum { APART_MS = 5, LONGEST_MS = 2000 };

static const char *describe(int status, char text[64])
{
    if (WIFSIGNALED(status))
        snprintf(text, 64, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, 64, "ended with status %d", WEXITSTATUS(status));
    return text;
}

/* Slurm's messages of 26.05 do not name the node. */
static const char *node_name(char name[65])
{
    if (gethostname(name, 64) < 0)
        return "this node";
    name[64] = '\0';
    name[strcspn(name, ".")] = '\0';
    return name;
}

/* When one node has ended the step, all others see their tasks die and come here too: one after the
 * other, so that all but the first find the step ended and leave it at that. */
static void wait_for_turn(uint32_t node_index)
{
    uint32_t ms = node_index < LONGEST_MS / APART_MS ? node_index * APART_MS : LONGEST_MS;
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

/* Is it this node that ends the step, and in which jobs?  scancel and the time limit end the job's steps
 * themselves.  Where slurmctld does not answer, it is not asked for the claim too: each question takes long. */
static bool take_end(const struct ce_step_id *id, struct ce_job_components *jobs)
{
    struct ce_job_state job;
    if (!ce_controller_step_is_free(id->job_id, id->step_id))
        return false;
    if (ce_controller_job(id->job_id, &job, NULL) < 0)
        return true;
    if (!job.running)
        return false;
    ce_controller_components(&job, jobs);
    for (size_t i = 0; i < jobs->count; i++)
        ce_controller_claim_step(jobs->id[i], id->step_id);
    return true;
}

/* Its own end, and no signal that Slurm sends when it ends a step. */
static bool is_own_end(int status)
{
    return !WIFSIGNALED(status) || (WTERMSIG(status) != SIGTERM && WTERMSIG(status) != SIGKILL);
}

/* Say that the task has ended and what it said last. */
static void say(const struct ce_task_end *end, int log, off_t start, const char *consequence)
{
    char what[64], node[65], before[128], step[CE_STEP_ID_TEXT];
    describe(end->status, what);
    node_name(node);
    if (!end->rank_is_known) {
        slurm_error("cluster-env: %s: a task %s%s", node, what, consequence);
        return;
    }
    if (log < 0) {
        slurm_error("cluster-env: %s: rank %u %s%s", node, end->rank, what, consequence);
        return;
    }
    slurm_error("cluster-env: %s: rank %u %s%s; the end of cluster-env-%s/%u.log:", node, end->rank,
                what, consequence, ce_step_id_format(end->folder, step), end->rank);
    snprintf(before, sizeof before, "cluster-env: rank %u: ", end->rank);
    ce_task_log_show(log, start, before);
}

bool ce_task_end_show(const struct ce_task_end *end)
{
    struct ce_task_end shown = *end;
    off_t start = 0;
    ce_autoclose int log = ce_task_log_take(end->logs, end->local_rank, &shown.rank, &start);
    shown.rank_is_known = true; /* the task said it */
    if (log < 0 || !is_own_end(end->status))
        return false;
    say(&shown, log, start, "");
    return true;
}

bool ce_task_end_gang(const struct ce_task_end *end)
{
    struct ce_task_end shown = *end;
    struct ce_job_components jobs = {.id = {end->id.job_id}, .count = 1};
    off_t start = 0;
    ce_autoclose int log = ce_task_log_take(end->logs, end->local_rank, &shown.rank, &start);
    shown.rank_is_known |= log >= 0; /* the task said it */
    wait_for_turn(end->node_index);
    if (!take_end(&end->id, &jobs))
        return true;
    say(&shown, log, start, "; gang: the whole step ends");
    ce_step_end(jobs.id, jobs.count, end->id.step_id);
    return true;
}

void ce_task_end_refused(const struct ce_step_id *id, bool alone)
{
    struct ce_job_components jobs = {.id = {id->job_id}, .count = 1};
    struct ce_job_state job;
    if (!alone && ce_controller_job(id->job_id, &job, NULL) == 0)
        ce_controller_components(&job, &jobs);
    ce_step_end(jobs.id, jobs.count, id->step_id);
}

/* Slurm keeps a failed job of --requeue=expedite until its epilogs are over, and then holds or requeues it. */
static void say_used_up(const struct ce_job_state *job, uint32_t retries, const char *what)
{
    slurm_error("cluster-env: the batch script %s; retries=%u are used up", what, retries);
    if (job->expedited)
        slurm_error(
            "cluster-env: --requeue=expedite: Slurm now holds job %s ('scontrol release %s' "
            "runs it again, 'scancel %s' ends it); if an epilog drains a node, it runs again",
            job->name, job->name, job->name);
}

void ce_task_end_requeue(const struct ce_step_id *id)
{
    struct ce_job_state job;
    struct ce_error err;
    if (ce_controller_job(id->job_id, &job, &err) < 0)
        slurm_error("cluster-env: %s; the job is not requeued", err.text);
    else if (job.running && ce_controller_requeue(&job, &err) < 0)
        slurm_error("cluster-env: Slurm does not requeue the job: %s", err.text);
}

bool ce_task_end_retry(const struct ce_task_end *end)
{
    struct ce_job_state job;
    struct ce_error err;
    char what[64];
    if (ce_controller_job(end->id.job_id, &job, &err) < 0) {
        slurm_error("cluster-env: %s; the job is not requeued", err.text);
        return true;
    }
    if (!job.running) /* the user, the time limit or Slurm ended it */
        return true;
    describe(end->status, what);
    if (job.restarts >= end->retries) {
        say_used_up(&job, end->retries, what);
        return true;
    }
    slurm_error("cluster-env: the batch script %s; asking Slurm to requeue the job, retry %u of %u", what,
                job.restarts + 1, end->retries);
    if (ce_controller_requeue(&job, &err) < 0)
        slurm_error("cluster-env: Slurm does not requeue the job: %s", err.text);
    return true;
}
