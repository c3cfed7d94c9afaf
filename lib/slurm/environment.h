/* SPDX-License-Identifier: Apache-2.0 */
/* A Slurm environment -> allocation and task.  Needs no Slurm header and makes no call to Slurm. */
#ifndef CE_SLURM_ENVIRONMENT_H
#define CE_SLURM_ENVIRONMENT_H

#include "base/environ.h"
#include "base/error.h"
#include "model/allocation.h"

/* Which step is this?  For programs inside a job; the plugin knows from Slurm itself and leaves
 * its answer in CLUSTER_ENV_STEP, which counts where it is of this job.
 * -1 with err outside a job. */
int ce_slurm_identify(const struct ce_environ *env, struct ce_step_id *ret, struct ce_error *err);

/* Nodes (slurm/nodes.h), tasks on each by SLURM_STEP_TASKS_PER_NODE (a batch script's:
 * SLURM_TASKS_PER_NODE), and sizes: of an srun step SLURM_STEP_NUM_TASKS, else SLURM_NTASKS.  The job id
 * is that of the environment, if it has one.  Free *ret with ce_allocation_free().
 * -1 with err: no list, an invalid list, invalid numbers, no memory. */
int ce_slurm_allocation(const struct ce_environ *env, struct ce_step_id id,
                        struct ce_allocation *ret, struct ce_error *err);

/* Fill in allocation->tasks; ce_slurm_allocation() has done so.  -1 with err for no memory. */
int ce_slurm_count_tasks(const struct ce_environ *env, struct ce_allocation *allocation,
                         struct ce_error *err);

/* This task's place.  Of a batch script everything but the names is 0 or as for one task.
 * node_first is not known if SLURM_GTIDS does not list this task.
 * -1 with err where a step's task lacks SLURM_NODEID, SLURM_PROCID or SLURM_LOCALID. */
int ce_slurm_task(const struct ce_environ *env, const struct ce_allocation *allocation,
                  struct ce_task *ret, struct ce_error *err);

/* Is this command (argv[0], may be a path) a daemon by which an MPI starts its own ranks? */
bool ce_slurm_is_launcher(const char *command);

#endif
