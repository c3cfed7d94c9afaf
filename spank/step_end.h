/* SPDX-License-Identifier: Apache-2.0 */
/* Ending the whole step: the failure path's one call to Slurm. */
#ifndef CE_SPANK_STEP_END_H
#define CE_SPANK_STEP_END_H

#include <stdint.h>

/* Ask slurmctld to kill the step on all its nodes.  Only for slurm_spank_task_exit: user_init holds
 * a lock that this call waits for (23.02 and later), and a task may be inside a container already,
 * where munge's socket is not.  Slurm gives up by itself after its MessageTimeout.  0 or -1. */
int ce_step_end(uint32_t job_id, uint32_t step_id);

#endif
