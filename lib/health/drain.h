/* SPDX-License-Identifier: Apache-2.0 */
/* Take a node out of service and let it come back, through helpers/slurm-node: one child, one
 * deadline, so that a slurmctld that does not answer holds nobody; and a little later, by chance, so
 * that many nodes do not come at once. */
#ifndef CE_HEALTH_DRAIN_H
#define CE_HEALTH_DRAIN_H

#include <stdint.h>

#include "base/error.h"
#include "health/guard.h"

/* Drain it, where the guard admits it; a reason that stands there, whoever gave it, stays.  Takes a
 * good second where slurmctld answers.  CE_CHANGE_FAILED with err: the helper is not there, the
 * deadline passed, slurmctld refused; the node may be drained or not. */
enum ce_change ce_drain_node(const char *helper_dir, const char *node, const char *reason,
                             const struct ce_guard_limit *limit, unsigned deadline_ms,
                             struct ce_error *err);

/* Undrain it, where it is drained with exactly this reason.  CE_CHANGED, CE_CHANGE_NOT_OURS, or
 * CE_CHANGE_FAILED with err. */
enum ce_change ce_drain_lift(const char *helper_dir, const char *node, const char *reason,
                             unsigned deadline_ms, struct ce_error *err);

/* A batch job goes back into the queue.  CE_CHANGED; CE_CHANGE_NOT_OURS: Slurm requeues no such job;
 * CE_CHANGE_FAILED with err. */
enum ce_change ce_requeue_job(const char *helper_dir, uint32_t job, unsigned deadline_ms,
                              struct ce_error *err);

/* A job whose prolog fails on this node: a batch job goes back into the queue, and the user of what srun or
 * salloc started is told these words.  Slurm requeues or ends it, too, but after the prolog's end, and a script
 * may run until then.  CE_CHANGED; CE_CHANGE_NOT_OURS: Slurm requeues no such job; CE_CHANGE_FAILED with err. */
enum ce_change ce_refuse_job(const char *helper_dir, uint32_t job, const char *words, unsigned deadline_ms,
                             struct ce_error *err);

#endif
