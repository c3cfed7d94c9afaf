/* SPDX-License-Identifier: Apache-2.0 */
/* Ending the whole step: the failure path's one call to Slurm. */
#ifndef CE_SPANK_STEP_END_H
#define CE_SPANK_STEP_END_H

#include <stddef.h>
#include <stdint.h>

/* Have slurmctld kill the step on all its nodes, in each of these jobs: of a heterogeneous job each
 * component ends by itself.  Only for slurm_spank_task_exit: user_init holds
 * a lock that this call waits for (23.02 and later), and a task may be inside a container already,
 * where munge's socket is not.  Asks three times within a second, until Slurm says that the step is
 * over; where it fails, as where slurmctld does not answer for its MessageTimeout, three times as well,
 * then the user is told to do it. */
void ce_step_end(const uint32_t *job_ids, size_t count, uint32_t step_id);

#endif
