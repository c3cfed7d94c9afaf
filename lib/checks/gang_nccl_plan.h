/* SPDX-License-Identifier: Apache-2.0 */
/* Do the nodes of a job make an all-reduce together?  Only where every one of them can: none may
 * wait for one that does not come.  PURE, the first node asks it. */
#ifndef CE_CHECKS_GANG_NCCL_PLAN_H
#define CE_CHECKS_GANG_NCCL_PLAN_H

#include "checks/gang_judge.h"

/* Less time is not enough to connect the GPUs of several nodes. */
enum { CE_GANG_NCCL_LEAST_MS = 2000 };

/* `verdicts`: what the others were judged to be; left_ms: until the first of them gives up.  All
 * but port and token is filled in. */
void ce_gang_nccl_decide(const struct ce_gang_seen *seen, const struct ce_gang_verdict *verdicts,
                         uint32_t count, uint32_t left_ms, struct ce_gang_nccl_word *ret);

#endif
