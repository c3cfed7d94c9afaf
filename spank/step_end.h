/* SPDX-License-Identifier: Apache-2.0 */
/* Ending the whole step from one of its tasks: the failure path's one call to Slurm. */
#ifndef CE_SPANK_STEP_END_H
#define CE_SPANK_STEP_END_H

#include <stdint.h>
#include <stdnoreturn.h>

/* Ask slurmctld to kill the step on all its nodes, then leave this forked task with exit status 1.
 * Where slurmctld does not answer within some seconds the task leaves all the same. */
noreturn void ce_step_end(uint32_t job_id, uint32_t step_id);

#endif
