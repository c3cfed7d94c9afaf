/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a step as srun passes it to the tasks: which task is the first of each node. */
#ifndef CE_SLURM_LAYOUT_H
#define CE_SLURM_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/environ.h"
#include "base/text.h"
#include "model/allocation.h"
#include "model/hostlist.h"

/* If Slurm's own environment does not give the order of a step's nodes, the plugin in srun asks Slurm
 * for the layout and passes it on in this variable: "JOB.STEP:NODES:FIRST", the nodes in rank order as
 * a host list, and the lowest rank of each as the difference to that of the node before ("0,8(x3)").
 * The name begins with SLURM_ because only such names reach the tasks of `srun --export=NONE`.
 *
 * In a batch script or interactive shell whose steps may order the job's nodes in another way than the
 * job's list, the plugin sets it to "JOB.batch:NODES": the nodes of the job, in no particular order. */
#define CE_LAYOUT_VARIABLE "SLURM_CLUSTER_ENV_NODES"

/* The nodes of the layout of this very step, in rank order, and in *first their lowest ranks (malloc).
 * NULL, *first untouched: there is none, it is another step's, or it is not a layout: ranks that do
 * not begin with 0 and rise from node to node, another number of them than of nodes. */
struct ce_hostlist *ce_slurm_layout_read(const struct ce_environ *env, const struct ce_step_id *id,
                                         uint32_t **first);

/* Append the value of CE_LAYOUT_VARIABLE for a step.  first has the lowest rank of each node of the
 * list, which may be in any order. */
void ce_slurm_layout_write(const struct ce_step_id *id, const struct ce_hostlist *nodes,
                           const uint32_t *first, struct ce_text *out);

/* The same for a batch script or shell, and what it says: the nodes of the job; NULL: the variable is
 * not of this script. */
void ce_slurm_layout_write_job(const struct ce_step_id *id, const struct ce_hostlist *nodes,
                               struct ce_text *out);
struct ce_hostlist *ce_slurm_layout_read_job(const struct ce_environ *env,
                                             const struct ce_step_id *id);

/* Is the variable of this very step or script, whatever it holds?  A script's without nodes still says
 * that its steps may have another order. */
bool ce_slurm_layout_is_of(const struct ce_environ *env, const struct ce_step_id *id);

#endif
