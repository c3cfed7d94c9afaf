/* SPDX-License-Identifier: Apache-2.0 */
/* The job of this process, for the commands that describe it. */
#ifndef CE_CLI_OPEN_JOB_H
#define CE_CLI_OPEN_JOB_H

#include "session/job.h"

/* ce_job_open(), and on a login node, where slurmd tells nothing of the topology, slurm-node is asked
 * whether the steps of this job may order its nodes in another way (CE_ORDER_JOB).  Without slurm-node
 * the order of Slurm's list counts. */
int ce_open_job(const char *run_dir, const char *option, struct ce_job *ret, struct ce_error *err);

#endif
