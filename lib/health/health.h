/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of one phase on one node: from facts and policy to findings with a response each. */
#ifndef CE_HEALTH_HEALTH_H
#define CE_HEALTH_HEALTH_H

#include "base/error.h"
#include "checks/check.h"
#include "health/patience.h"
#include "health/share.h"
#include "model/finding.h"
#include "model/node.h"
#include "model/policy.h"

/* Run the checks of `phase` (CE_PROLOG, ...), or of them the one called `only` (NULL: all), into
 * findings, in the order of the table.  A finding's response is CE_DRAIN only for a fault, with a
 * check whose policy it is; where policy->mode is CE_MODE_OBSERVE it still is: what would be done.
 * 0; -1 with err: no memory. */
int ce_health_judge(const struct ce_node *node, const struct ce_policy *policy, unsigned phase,
                    const char *only, struct ce_findings *findings, struct ce_error *err);

/* The same, with what the prolog of the job saw (health/baseline.h); before may be NULL. */
int ce_health_judge_since(const struct ce_node *node, const struct ce_node *before,
                          const struct ce_policy *policy, unsigned phase, const char *only,
                          struct ce_findings *findings, struct ce_error *err);

/* The same, of a job's share of the node; share may be NULL: all of it.  times (NULL: not known) tells which
 * facts came after the deadline of a check, which finds nothing then but that. */
int ce_health_judge_job(const struct ce_node *node, const struct ce_node *before,
                        const struct ce_share *share, const struct ce_times *times, const struct ce_policy *policy,
                        unsigned phase, const char *only, struct ce_findings *findings,
                        struct ce_error *err);

/* The checks of the preflight.  gang NULL: there is nothing of it, for the reason `unknown`. */
int ce_health_judge_gang(const struct ce_gang *gang, const struct ce_hostlist *nodes,
                         const char *unknown, const struct ce_policy *policy,
                         struct ce_findings *findings, struct ce_error *err);

/* All checks, one after the other; NULL at the end. */
const struct ce_check *ce_health_check_at(size_t index);
/* NULL where there is none of that name. */
const struct ce_check *ce_health_check_find(const char *name);

/* What is done about a fault of this check, and about what it could not find out, as the policy has
 * it; where a fault is ignored, so is what is only odd. */
void ce_health_responses(const struct ce_check *check, const struct ce_policy *policy,
                         enum ce_response *fault, enum ce_response *unknown);

/* The check's limit as the policy has it; 0 for those without (checks/limit.h). */
uint32_t ce_health_limit(const struct ce_check *check, const struct ce_policy *policy);

/* Is one of that verdict among them? */
bool ce_health_has(const struct ce_findings *findings, enum ce_verdict verdict);
/* And not ignored? */
bool ce_health_matters(const struct ce_findings *findings, enum ce_verdict verdict);

#endif
