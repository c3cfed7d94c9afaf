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

/* Where the nodes are in another order than Slurm's: the lists by which it counts tasks, the step's
 * or each component's of the job, with index 0, 1 and so on, and the text of tasks per node,
 * "4(x2),3", that goes with it (NULL: there is none).  NULL: no such list. */
struct ce_hostlist *ce_slurm_counted_nodes(const struct ce_environ *env, enum ce_step_kind kind,
                                           uint32_t index, const char **counts);

/* Write the value of CE_LAYOUT_VARIABLE: the nodes by their lowest rank.  first_rank has one number
 * per node of the list. */
void ce_slurm_write_layout(const struct ce_step_id *id, const struct ce_hostlist *nodes,
                           const uint32_t *first_rank, struct ce_text *out);

#endif
