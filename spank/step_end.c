/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "step_end.h"

#include <signal.h>
#include <slurm/slurm.h>

/* Slurm changed this call's arguments twice; configure finds out which ones the headers have. */
int ce_step_end(uint32_t job_id, uint32_t step_id)
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
