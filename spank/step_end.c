/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "step_end.h"

#include <errno.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <time.h>

/* Slurm changed this call's arguments twice; configure finds out which ones the headers have. */
static int kill_step(uint32_t job_id, uint32_t step_id)
{
#if KILL_JOB_STEP_ARGS == 3
    return slurm_kill_job_step(job_id, step_id, SIGKILL);
#elif KILL_JOB_STEP_ARGS == 4
    return slurm_kill_job_step(job_id, step_id, SIGKILL, 0);
#else
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;
    id.job_id = job_id;
    id.step_id = step_id;
    return slurm_kill_job_step(&id, SIGKILL, 0);
#endif
}

static void sleep_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static bool is_over(int code)
{
    return code == ESLURM_ALREADY_DONE || code == ESLURM_INVALID_JOB_ID;
}

/* The first request that counts; false: none is left to be made. */
static bool begin_end(uint32_t job_id, uint32_t step_id)
{
    enum { TRIES = 3, APART_MS = 1000 };
    for (int i = 0; kill_step(job_id, step_id) != 0; i++) {
        int code = errno;
        if (is_over(code))
            return false;
        if (i + 1 == TRIES) {
            slurm_error("cluster-env: could not end the step: %s; scancel it", slurm_strerror(code));
            return false;
        }
        sleep_ms(APART_MS);
    }
    return true;
}

/* Does it still run in any of these jobs?  Where it is over nothing is left to be told. */
static bool repeat_end(const uint32_t *job_ids, size_t count, uint32_t step_id)
{
    bool runs = false;
    for (size_t i = 0; i < count; i++)
        runs |= kill_step(job_ids[i], step_id) == 0;
    return runs;
}

void ce_step_end(const uint32_t *job_ids, size_t count, uint32_t step_id)
{
    /* A request that reaches a node before its task is forked is lost there (one in 40 refusals on
     * four nodes); at these times none was in 360.  docs/hooks.md has the figures. */
    static const long pauses_ms[] = {300, 700};
    bool runs = false;
    for (size_t i = 0; i < count; i++)
        runs |= begin_end(job_ids[i], step_id);
    for (size_t i = 0; i < sizeof pauses_ms / sizeof *pauses_ms && runs; i++) {
        sleep_ms(pauses_ms[i]);
        runs = repeat_end(job_ids, count, step_id);
    }
}
