/* SPDX-License-Identifier: Apache-2.0 */
/* What a failure asks slurmctld, and has it do.  Only for slurm_spank_task_exit, as ce_step_end(). */
#ifndef CE_SPANK_CONTROLLER_H
#define CE_SPANK_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* May this node end the step, as the first?  When one node has ended it, all others see their tasks die
 * and ask here: one question each, instead of a request that slurmctld would send to all nodes once
 * more.  false: another node was first, or the step is over.  Where slurmctld does not tell: true. */
bool ce_controller_step_is_free(uint32_t job_id, uint32_t step_id);

/* Let the others know.  It is not given back. */
void ce_controller_claim_step(uint32_t job_id, uint32_t step_id);

struct ce_job_state {
    bool running; /* neither cancelled nor timed out nor preempted nor requeued */
    bool expedited; /* sbatch --requeue=expedite (25.11 and later) */
    uint32_t restarts;
    uint32_t first_component; /* of a heterogeneous job, the job that all others name; else 0 */
    char name[24]; /* as slurmctld takes it; of an array's task not its number, which may be the array's */
};

/* 0; -1 with err. */
int ce_controller_job(uint32_t job_id, struct ce_job_state *ret, struct ce_error *err);

/* Each component of a heterogeneous job is a job of its own, and a step has the same number in all that
 * take part in it.  Filled with the one that asks, to which all others are added. */
struct ce_job_components {
    uint32_t id[128]; /* as many as Slurm allows */
    size_t count;
};
void ce_controller_components(const struct ce_job_state *job, struct ce_job_components *ret);

/* Put a running batch job back into the queue; its tasks end.  0; -1 with err: Slurm refuses, as with
 * sbatch --no-requeue. */
int ce_controller_requeue(const struct ce_job_state *job, struct ce_error *err);

#endif
