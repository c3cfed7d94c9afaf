/* SPDX-License-Identifier: Apache-2.0 */
/* What stays of a run for people who look later: a line in a log file, and a textfile for
 * Prometheus. */
#ifndef CE_HEALTH_JOURNAL_H
#define CE_HEALTH_JOURNAL_H

#include "base/error.h"
#include "model/policy.h"
#include "model/run.h"

/* Add the run to policy->log, and write cluster_env_PHASE.prom (of a bench cluster_env_bench_TEST.prom)
 * anew in policy->metrics (report/run.h); the default folder of the latter need not be there.  In a
 * child with this deadline: the disk may be one that hangs.  0; -1 with err: what could not be
 * written; the rest was. */
int ce_journal_keep(const struct ce_run *run, const struct ce_policy *policy, unsigned deadline_ms,
                    struct ce_error *err);

#endif
