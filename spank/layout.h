/* SPDX-License-Identifier: Apache-2.0 */
/* The true node order of an srun -m arbitrary step: asked for once, in srun, and handed on to the
 * tasks in the environment. */
#ifndef CE_SPANK_LAYOUT_H
#define CE_SPANK_LAYOUT_H

#include <stdbool.h>

#include "base/error.h"
#include "model/allocation.h"

/* Is this srun's distribution arbitrary?  Costs a look at its environment. */
bool ce_layout_is_needed(void);

/* One RPC; sets CE_LAYOUT_VARIABLE in srun's own environment.  Only for slurm_spank_local_user_init.
 * 0; -1 with err: slurmctld did not answer, or the list is too long for a variable (the tasks then
 * refuse to run). */
int ce_layout_hand_on(const struct ce_step_id *id, struct ce_error *err);

#endif
