/* SPDX-License-Identifier: Apache-2.0 */
/* Take a node out of service, through helpers/slurm-node: one child, one deadline, so that a
 * slurmctld that does not answer holds nobody; and a little later, by chance, so that many nodes do
 * not come at once. */
#ifndef CE_HEALTH_DRAIN_H
#define CE_HEALTH_DRAIN_H

#include <stdint.h>

#include "base/error.h"

/* A reason that stands there, whoever gave it, stays.  0; -1 with err: the helper is not there, the
 * deadline passed, slurmctld refused. */
int ce_drain_node(const char *helper_dir, const char *node, const char *reason,
                  unsigned deadline_ms, struct ce_error *err);

/* A batch job whose prolog fails on this node goes back into the queue.  Slurm does it too, but after the
 * prolog's end, and the script may run on other nodes until then.  0, also where Slurm has to end the job;
 * -1 with err as above. */
int ce_requeue_job(const char *helper_dir, uint32_t job, unsigned deadline_ms,
                   struct ce_error *err);

#endif
