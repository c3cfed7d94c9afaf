/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm_job.h"

#include <errno.h>
#define SLURM_BACKWARD_COMPAT /* 26.05: jobs are told by their number, as before */
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/parse.h"
#include "health/guard.h"
#include "slurm_drain.h"

static int job_of(const char *text, uint32_t *ret)
{
    if (ce_parse_u32(text, 1, UINT32_MAX, ret) == 0)
        return 0;
    fputs("slurm-node: expected the number of a job\n", stderr);
    return -1;
}

/* 0, or -1 with errno. */
static int back_into_the_queue(uint32_t job)
{
    bool done = slurm_requeue(job, JOB_RUNNING) == SLURM_SUCCESS ||
                errno == ESLURM_JOB_PENDING; /* another node was first */
    return done ? 0 : -1;
}

/* What srun and salloc started, and what must not run twice. */
static bool is_never_requeued(int code)
{
    return code == ESLURM_BATCH_ONLY || code == ESLURM_DISABLED;
}

/* words: for the user of what srun and salloc started; NULL: none. */
static int put_back(const char *number, char *words)
{
    uint32_t job;
    if (job_of(number, &job) < 0)
        return 2;
    if (back_into_the_queue(job) == 0)
        return CE_CHANGED;
    const int code = errno;
    if (!is_never_requeued(code))
        return ce_slurm_complain("slurmctld does not requeue the job");
    if (words && code == ESLURM_BATCH_ONLY && slurm_notify_job(job, words) != SLURM_SUCCESS)
        return ce_slurm_complain("slurmctld does not tell the job's user why it ends");
    return CE_CHANGE_NOT_OURS;
}

int ce_slurm_requeue(char **arguments)
{
    return put_back(arguments[0], NULL);
}

int ce_slurm_refuse(char **arguments)
{
    return put_back(arguments[0], arguments[1]);
}
