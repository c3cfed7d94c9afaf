/* SPDX-License-Identifier: Apache-2.0 */
/* Take a node out of service, through helpers/slurm-node: one child, one deadline, so that a
 * slurmctld that does not answer holds nobody; and a little later, by chance, so that many nodes do
 * not come at once. */
#ifndef CE_HEALTH_DRAIN_H
#define CE_HEALTH_DRAIN_H

#include "base/error.h"

/* A reason that stands there, whoever gave it, stays.  0; -1 with err: the helper is not there, the
 * deadline passed, slurmctld refused. */
int ce_drain_node(const char *helper_dir, const char *node, const char *reason,
                  unsigned deadline_ms, struct ce_error *err);

#endif
