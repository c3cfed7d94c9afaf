/* SPDX-License-Identifier: Apache-2.0 */
/* What a test by hand (`cluster-env bench`) found, for people who look later: as a run of the phase
 * "bench", where the runs of the prolog stand, too. */
#ifndef CE_HEALTH_BENCH_RUN_H
#define CE_HEALTH_BENCH_RUN_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/check_rule.h"
#include "model/measured.h"
#include "model/notes.h"
#include "model/policy.h"

struct ce_bench_run {
    const char *test;      /* "rdma", "gpu", "nccl" */
    const char *node_name; /* in Slurm */
    const char *boot_id;   /* NULL: not known */
    uint64_t began_ns;     /* ce_clock_ns() */
    const struct ce_findings *findings;
    const struct ce_measured *measured;
    const struct ce_notes *notes;
};

/* The checks of tests; NULL at the end.  Does the rule mean one of them? */
const char *ce_bench_run_check(size_t index);
bool ce_bench_run_covers(const struct ce_check_rule *rule);

/* What is done about each finding, where the policy does not say otherwise: a node is drained for
 * what failed, the rest is told. */
void ce_bench_run_respond(struct ce_findings *findings, const struct ce_policy *policy);

/* The reason that this node would be drained for; nothing where it would not. */
void ce_bench_run_reason(const struct ce_findings *findings, struct ce_text *out);

/* Add it to the log and write its metrics (health/journal.h).  Nobody is drained.  0; -1 with err. */
int ce_bench_run_keep(const struct ce_bench_run *run, const struct ce_policy *policy,
                      struct ce_error *err);

#endif
