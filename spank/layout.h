/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a step's nodes if Slurm's environment does not give it: asked for once, in srun, and
 * passed on to the tasks in the environment (slurm/layout.h). */
#ifndef CE_SPANK_LAYOUT_H
#define CE_SPANK_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/environ.h"
#include "base/error.h"
#include "model/allocation.h"

/* In srun: are the nodes of this step perhaps in another order than its list?  With -m arbitrary, and
 * if a topology plugin places tasks, unless there is only one node.  Reads srun's environment and the
 * configuration that srun has read. */
bool ce_layout_is_needed(uint32_t nodes);

/* One RPC; sets CE_LAYOUT_VARIABLE in srun's own environment.  Only for slurm_spank_local_user_init.
 * 0, also for a heterogeneous step of an ordinary job, for which nothing is set;
 * -1 with err: slurmctld did not answer, or the list is too long for a variable (the tasks then
 * refuse to run if the order is not that of the list). */
int ce_layout_pass_on(const struct ce_step_id *id, struct ce_error *err);

/* In the stepd of a batch script or shell: if a topology plugin places the tasks of its steps, set
 * CE_LAYOUT_VARIABLE to the nodes of the job. */
void ce_layout_mark_job(const struct ce_environ *env, const struct ce_step_id *id);

#endif
