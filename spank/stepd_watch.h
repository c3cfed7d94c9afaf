/* SPDX-License-Identifier: Apache-2.0 */
/* A slurmstepd that is killed: Slurm does not notice it, on no series, and srun and the other nodes wait
 * for ever.  So a small process beside each task of a gang waits for the end of its slurmstepd. */
#ifndef CE_SPANK_STEPD_WATCH_H
#define CE_SPANK_STEPD_WATCH_H

#include "model/allocation.h"

/* What a slurmstepd and those who watch it share. */
struct ce_stepd_watch;

/* In user_init, before the tasks are forked.  NULL: no memory. */
struct ce_stepd_watch *ce_stepd_watch_create(void);
/* In slurm_spank_task_exit of the node's last task: nothing is left to watch over.  Waits for the watchers to
 * go, for milliseconds, at most 100: proctrack/cgroup takes one that is there for a process of the step that
 * does not end, and Slurm then waits a whole second. */
void ce_stepd_watch_over(struct ce_stepd_watch *watch);
/* In slurm_spank_exit: what ends now ends as it should. */
void ce_stepd_watch_end(struct ce_stepd_watch *watch);

/* From slurm_spank_task_init, as the user.  Where the task ends first, as it mostly does, nothing follows.
 * Where its slurmstepd does, the task is ended, and the step with the scancel beside that slurmstepd, by one
 * of the node's watchers; where there is none, as in many containers, the task is ended only.  So it is in a
 * step of one node: srun would give up with status 0, of which a script would believe that all is well; on a
 * kernel before 5.9, which cannot close what is the task's at once; and where watch is NULL. */
void ce_stepd_watch_begin(struct ce_stepd_watch *watch, const struct ce_allocation *step);

#endif
