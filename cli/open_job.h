/* SPDX-License-Identifier: Apache-2.0 */
/* The job of this process, for the commands that describe it. */
#ifndef CE_CLI_OPEN_JOB_H
#define CE_CLI_OPEN_JOB_H

#include "session/job.h"

/* As ce_job_open().  On a login node slurmd does not report the topology, so this asks slurm-node
 * whether the steps of this job may order its nodes in another way (CE_ORDER_JOB).  Without slurm-node
 * the order of Slurm's list is used. */
int ce_open_job(const char *run_dir, const char *option, struct ce_job *ret, struct ce_error *err);

#endif
