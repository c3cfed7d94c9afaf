/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes does a step have, in rank order?  Slurm's own lists are in another order in
 * heterogeneous steps, with -m arbitrary, and if a topology plugin places the tasks (26.05). */
#ifndef CE_SLURM_NODES_H
#define CE_SLURM_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/environ.h"
#include "base/error.h"
#include "model/allocation.h"
#include "model/hostlist.h"

/* Fill in nodes, order and first of *allocation, whose id is known:
 * - an srun step whose layout srun asked for (slurm/layout.h): that;
 * - a step of a heterogeneous job: its components' lists, one after the other, those nodes that
 *   are in the step, since SLURM_STEP_NODELIST is their sorted union;
 * - any other srun step: SLURM_STEP_NODELIST;
 * - a batch script or interactive shell: SLURM_JOB_NODELIST, or all components of a het job; for an
 *   MPI launcher's daemons, whose list is that of their step, the nodes that their batch script has.
 * 0; -1 with err, *allocation untouched: no list, or one that is not a host list. */
int ce_slurm_nodes(const struct ce_environ *env, struct ce_allocation *allocation,
                   struct ce_error *err);

/* Does this Slurm order the tasks of steps by its topology, and not by its lists?  Since 26.05, if
 * TopologyPlugin= is not flat (tree, block and ring were seen to do so), or a topology.yaml is next to
 * slurm.conf, unless SelectTypeParameters= has CR_NO_DIST_TOPO_BLOCK.  version as SLURM_VERSION_NUMBER;
 * conf, the path of slurm.conf, and plugin may be NULL; params as in slurm_conf_t. */
enum { CE_SLURM_NO_DIST_TOPO_BLOCK = 1 << 11 };
bool ce_slurm_orders_by_topology(uint32_t version, const char *conf, const char *plugin,
                                 uint32_t params);

/* The same by the environment that slurmd gives a task or batch script, if nothing better is available:
 * true also for 25.11, and for a topology that does not order.  false on a login node, and in a step whose
 * tasks are distributed by cyclic or plane, which keep the order of the list. */
bool ce_slurm_has_topology(const struct ce_environ *env, enum ce_step_kind kind);

/* Where the nodes are in another order than Slurm's: the lists by which it counts tasks, the step's
 * or each component's of the job, with index 0, 1 and so on, and the text of tasks per node,
 * "4(x2),3", that goes with it (NULL: there is none).  NULL: no such list. */
struct ce_hostlist *ce_slurm_counted_nodes(const struct ce_environ *env, enum ce_step_kind kind,
                                           uint32_t index, const char **counts);

#endif
