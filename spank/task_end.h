/* SPDX-License-Identifier: Apache-2.0 */
/* What follows when a task has ended badly: its last lines, if they went to a file; with gang the end
 * of the whole step; with retries=N another run of the batch job.  For slurm_spank_task_exit. */
#ifndef CE_SPANK_TASK_END_H
#define CE_SPANK_TASK_END_H

#include <stdbool.h>
#include <stdint.h>

#include "model/allocation.h"
#include "task_log.h"

struct ce_task_end {
    struct ce_step_id id;            /* of the component, in a heterogeneous step */
    const struct ce_step_id *folder; /* whose the logs are */
    int status;                      /* as waitpid() says, not 0 */
    uint32_t rank, local_rank;
    bool rank_is_known;  /* Slurm counts the ranks of a heterogeneous step by component */
    uint32_t node_index; /* so that the nodes of a step do not all ask at once */
    uint32_t retries;
    const struct ce_task_logs *logs;
};

/* Those that return something tell whether it answers the node's tasks: else the next one that fails is asked about. */

/* Speaks to the user, and asks slurmctld at most: is the step free to be ended, and its job running;
 * then to mark it, and thrice to end it. */
bool ce_task_end_gang(const struct ce_task_end *end);

/* Speaks to the user, where the task has a log. */
bool ce_task_end_show(const struct ce_task_end *end);

/* The step must not run, in none of its components; for the first node that says so.  alone: it has no others.
 * Asks slurmctld, unless alone, which they are; then thrice to end it. */
void ce_task_end_refused(const struct ce_step_id *id, bool alone);

/* A batch script must not run here: the job runs elsewhere, unless Slurm may not requeue it.  Asks slurmctld for the
 * job's state, because the job may have been requeued already; then once to requeue it. */
void ce_task_end_requeue(const struct ce_step_id *id);

/* Of a batch script.  Asks slurmctld at most: how is the job; then once to requeue it. */
bool ce_task_end_retry(const struct ce_task_end *end);

#endif
