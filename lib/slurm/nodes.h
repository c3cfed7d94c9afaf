/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes does a step have, in rank order?  Slurm's own lists are in another order in
 * heterogeneous steps and with -m arbitrary. */
#ifndef CE_SLURM_NODES_H
#define CE_SLURM_NODES_H

#include <stdint.h>

#include "base/environ.h"
#include "base/error.h"
#include "base/text.h"
#include "model/allocation.h"
#include "model/hostlist.h"

/* In srun the plugin asks Slurm for the layout of an arbitrary step and leaves it in this variable,
 * "JOB.STEP:node,node,..." in rank order.  The name begins with SLURM_ because only such ones reach
 * the tasks of `srun --export=NONE`. */
#define CE_LAYOUT_VARIABLE "SLURM_CLUSTER_ENV_NODES"

/* The nodes and how they are ordered:
 * - an srun step with -m arbitrary: from CE_LAYOUT_VARIABLE, where it is of this step;
 * - a step of a heterogeneous job: of its components' lists, one after the other, those nodes that
 *   are in the step, since SLURM_STEP_NODELIST is their sorted union;
 * - any other srun step: SLURM_STEP_NODELIST;
 * - a batch script or interactive shell: SLURM_JOB_NODELIST, or all components of a het job; for an
 *   MPI launcher's daemons, whose list is that of their step, what their batch script was told.
 * NULL with err: no list, or one that is not a host list. */
struct ce_hostlist *ce_slurm_nodes(const struct ce_environ *env, const struct ce_step_id *id,
                                   enum ce_node_order *order, struct ce_error *err);

/* Slurm's text of tasks per node, "4(x2),3", that counts this node too, and at which place of it.
 * NULL: there is none. */
const char *ce_slurm_task_counts(const struct ce_environ *env,
                                 const struct ce_allocation *allocation, uint32_t index,
                                 uint32_t *place);

/* Write the value of CE_LAYOUT_VARIABLE: the nodes by their lowest rank.  first_rank has one number
 * per node of the list. */
void ce_slurm_write_layout(const struct ce_step_id *id, const struct ce_hostlist *nodes,
                           const uint32_t *first_rank, struct ce_text *out);

#endif
