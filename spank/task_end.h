/* SPDX-License-Identifier: Apache-2.0 */
/* What follows when a task has ended badly: with gang the whole step ends, with retries=N the batch
 * job runs again.  For slurm_spank_task_exit. */
#ifndef CE_SPANK_TASK_END_H
#define CE_SPANK_TASK_END_H

#include <stdbool.h>
#include <stdint.h>

#include "model/allocation.h"
#include "model/request.h"

struct ce_task_end {
    struct ce_step_id id;
    int status;          /* as waitpid() says, not 0 */
    uint32_t rank;
    uint32_t node_index; /* so that the nodes of a step do not all ask at once */
};

/* Speaks to the user, and asks slurmctld at most: does the step still run; then thrice to end it. */
void ce_task_end_gang(const struct ce_task_end *end);

/* Of a batch script.  Asks slurmctld at most: how is the job; then once to requeue it. */
void ce_task_end_retry(const struct ce_task_end *end, uint32_t retries);

#endif
