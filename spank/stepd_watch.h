/* SPDX-License-Identifier: Apache-2.0 */
/* A slurmstepd that is killed: Slurm does not notice it, on no series, and srun and the other nodes wait
 * for ever.  So a small process beside each task of a gang waits for the end of its slurmstepd. */
#ifndef CE_SPANK_STEPD_WATCH_H
#define CE_SPANK_STEPD_WATCH_H

#include "model/allocation.h"

/* From slurm_spank_task_init, as the user.  Where the task ends first, as it mostly does, nothing follows.
 * Where its slurmstepd does, the task is killed and the step ended with the scancel beside that slurmstepd;
 * in a container that has none, and on a kernel without pidfd_open() (5.3), the task is killed only.  So it
 * is in a step of one node: srun would give up with status 0, of which a script would believe that all is well. */
void ce_stepd_watch(const struct ce_allocation *step);

#endif
