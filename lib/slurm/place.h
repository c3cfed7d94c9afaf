/* SPDX-License-Identifier: Apache-2.0 */
/* The proof of a task's place: do the ranks of this node, which Slurm gave its tasks, fit the place of
 * the node in the list of nodes?  If every node of a step passes, node rank 0 holds task 0, and all
 * lists are in rank order, whatever Slurm did, because each node compares its lowest rank with the same
 * function of node ranks, which rises from node to node.  In a heterogeneous step each component may have
 * a function of its own, and a node passes by any of them: that is enough for tasks laid out by block or
 * cyclic, the ways in which Slurm reorders nodes. */
#ifndef CE_SLURM_PLACE_H
#define CE_SLURM_PLACE_H

#include <stdint.h>

#include "base/environ.h"
#include "base/error.h"
#include "model/allocation.h"

/* The part of the step by which Slurm itself counts: a component of a heterogeneous step, else the whole step. */
struct ce_step_part {
    uint32_t first_node, first_task; /* in the step; 0 in an ordinary step */
    uint32_t node_count;
};

/* part: as Slurm reports it.  SLURM_DISTRIBUTION and SLURM_DIST_PLANESIZE contain how the tasks were distributed.
 * 0, also for a batch script; -1 with err: the node must not run its tasks. */
int ce_slurm_check_place(const struct ce_environ *env, const struct ce_allocation *allocation,
                         const struct ce_task *task, const struct ce_step_part *part,
                         struct ce_error *err);

#endif
