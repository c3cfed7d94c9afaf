/* SPDX-License-Identifier: Apache-2.0 */
/* slurm-node requeue and refuse: a job that is not to run here now.  Both return an exit status: enum
 * ce_change. */
#ifndef CE_HELPERS_SLURM_JOB_H
#define CE_HELPERS_SLURM_JOB_H

/* JOB: a batch job that may run twice goes back into the queue. */
int ce_slurm_requeue(char **arguments);

/* JOB WORDS: it is requeued; where it is srun's or salloc's, its user is told these words.
 *
 * It is not ended: Slurm does that when the prolog has, and a slurmd that finds it ended tries again every 15
 * seconds, and each time has the node drained anew (seen with 22.05, 24.11 and 26.05). */
int ce_slurm_refuse(char **arguments);

#endif
