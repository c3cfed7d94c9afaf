/* SPDX-License-Identifier: Apache-2.0 */
/* May a node that we drained come back by itself?  What has to be known for that, and the answer.
 * PURE: health/recover.h keeps it and does what follows.  Times are the uptime in milliseconds, which
 * nobody sets; with the boot they are of, they mean nothing after the next. */
#ifndef CE_HEALTH_RECOVERY_H
#define CE_HEALTH_RECOVERY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/finding.h"

enum {
    CE_RECOVERY_PASSES = 3,
    CE_RECOVERY_MINUTES = 15, /* from the first of them to the last */
    CE_RECOVERY_A_DAY = 2,
    CE_RECOVERY_CHECKS = 16,
    CE_RECOVERY_NAME = 64,
};

struct ce_recovery {
    char boot_id[CE_RECOVERY_NAME];
    char reason[sizeof((struct ce_error *)0)->text]; /* that we gave; "": none */
    char checks[CE_RECOVERY_CHECKS][CE_RECOVERY_NAME]; /* for which; none where there were more */
    uint32_t check_count;
    uint32_t passes; /* since it was drained, without a fault between */
    uint64_t first_pass_ms;
    uint64_t came_back_ms[CE_RECOVERY_A_DAY]; /* the last times, the latest first; 0: never */
};

/* The node was drained, for this reason, which has the findings that are to be drained for. */
void ce_recovery_begin(struct ce_recovery *recovery, const char *reason,
                       const struct ce_findings *findings);

enum ce_recovery_step {
    CE_RECOVERY_NEVER,  /* there is no reason of ours, or one of its checks is not recoverable */
    CE_RECOVERY_UNWELL, /* there is a fault, or a check of the reason does not pass */
    CE_RECOVERY_WAIT,   /* passed, but not often or long enough */
    CE_RECOVERY_ENOUGH, /* it came back too often today */
    CE_RECOVERY_RESUME,
};

/* The checks ran at now_ms and found this: count it, and say what follows.  A check passes where it
 * found something well, and nothing else than that or what does not apply: unknown is no pass. */
enum ce_recovery_step ce_recovery_judge(struct ce_recovery *recovery,
                                        const struct ce_findings *findings, uint64_t now_ms);

/* It came back; or its drain is ours no more (now_ms 0). */
void ce_recovery_end(struct ce_recovery *recovery, uint64_t now_ms);

/* The text form (model/record.h).  -1 with err. */
void ce_recovery_write(const struct ce_recovery *recovery, struct ce_text *out);
int ce_recovery_parse(const char *text, struct ce_recovery *ret, struct ce_error *err);

#endif
