/* SPDX-License-Identifier: Apache-2.0 */
/* How long each question is waited for (`deadline` in the checks of cluster-env.conf), and which checks had
 * their facts too late.  PURE. */
#ifndef CE_HEALTH_PATIENCE_H
#define CE_HEALTH_PATIENCE_H

#include <stdbool.h>

#include "model/finding.h"
#include "model/policy.h"

enum ce_question {
    CE_ASK_KERNEL,   /* the kernel log */
    CE_ASK_IB,       /* sysfs of the RDMA devices */
    CE_ASK_VERBS,    /* libibverbs */
    CE_ASK_GPUS,     /* NVML */
    CE_ASK_TOPOLOGY, /* hwloc */
    CE_ASK_RAILS,    /* counters, PCI Express links, device files and partition keys of the rails */
    CE_QUESTIONS,
};

/* Milliseconds from when the first was asked. */
struct ce_patience {
    unsigned ms[CE_QUESTIONS]; /* how long it is waited for; 0: as the run has it */
};
struct ce_times {
    unsigned ms[CE_QUESTIONS]; /* when its answer was there, or the waiting ended; 0: not asked */
};

/* A question is waited for as long as the most patient of the checks that it feeds, of those that run in
 * this phase (`only`: of that one).  One without a deadline has that of the run, and so has a question
 * that feeds no check. */
void ce_patience_find(const struct ce_policy *policy, unsigned phase, const char *only,
                      struct ce_patience *ret);

/* Does a question feed this check at all?  Else a deadline says nothing of it. */
bool ce_patience_concerns(const char *check);

/* The check's facts were not there in its own time: true, and finds it unknown.  False where it has no
 * deadline, or times is NULL. */
bool ce_patience_is_over(const char *check, const struct ce_policy *policy,
                         const struct ce_times *times, struct ce_findings *out);

#endif
