/* SPDX-License-Identifier: Apache-2.0 */
/* From what the nodes of a job saw of each other to whose fault it is.  PURE: helpers/preflight asks
 * the nodes, and tells each its verdict.  docs/preflight.md has the rules in words. */
#ifndef CE_CHECKS_GANG_JUDGE_H
#define CE_CHECKS_GANG_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/gang.h"
#include "model/gang_task.h"

/* One node, as a judge sees it. */
struct ce_gang_seen {
    bool came;       /* it spoke with the judge; else its view is empty */
    uint32_t age_ms; /* so long ago */
    bool heard;      /* what its view says is its own word */
    struct ce_gang_view view;
};

/* Two nodes that have not been there together for so long may yet reach each other. */
enum { CE_GANG_SETTLED_MS = 1000 };

/* `verdicts` has room for `count`, at least 2.  A node is sick where it fails toward both neighbours,
 * and each of them reaches its other one; never among two, and never where a longer row of nodes fails. */
void ce_gang_judge(const struct ce_gang_seen *seen, uint32_t count,
                   const struct ce_gang_limits *limits, struct ce_gang_verdict *verdicts);

/* Should who judged requeue the job, which waits for the silent ones?  Only where they are less than half
 * of the nodes: else it may be the judge that hears nobody. */
bool ce_gang_is_held_up(const struct ce_gang_verdict *verdict, uint32_t count);

#endif
