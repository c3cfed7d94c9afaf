/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/gang_nccl_plan.h"

#include <stdio.h>

static void refuse(struct ce_gang_nccl_word *word, enum ce_gang_nccl_plan plan, const char *why)
{
    word->plan = plan;
    snprintf(word->why, sizeof word->why, "%.*s", CE_GANG_NCCL_WHY - 1, why);
}

static void refuse_for(struct ce_gang_nccl_word *word, enum ce_gang_nccl_plan plan, uint32_t node,
                       const char *why)
{
    refuse(word, plan, why);
    word->named = true;
    word->node = node;
}

/* What is wrong is told already, and would hold the others up. */
static bool is_clean(const struct ce_gang_seen *seen, const struct ce_gang_verdict *verdict)
{
    return seen->came && seen->heard && verdict->stand == CE_GANG_WELL && !verdict->slow_count;
}

/* false: the word says why not. */
static bool can_take_part(const struct ce_gang_nccl_part *part, uint32_t node,
                          struct ce_gang_nccl_word *word)
{
    switch (part->ready) {
    case CE_GANG_NCCL_READY:
        return true;
    case CE_GANG_NCCL_OFF:
        refuse_for(word, CE_GANG_NCCL_SKIP, node, "it has not preflight.mode \"nccl\"");
        break;
    case CE_GANG_NCCL_PREPARING:
        refuse_for(word, CE_GANG_NCCL_NOT_KNOWN, node, "it was not ready in time");
        break;
    case CE_GANG_NCCL_CANNOT:
        refuse_for(word, CE_GANG_NCCL_SKIP, node, part->why);
        break;
    case CE_GANG_NCCL_UNSURE:
        refuse_for(word, CE_GANG_NCCL_NOT_KNOWN, node, part->why);
        break;
    }
    return false;
}

void ce_gang_nccl_decide(const struct ce_gang_seen *seen, const struct ce_gang_verdict *verdicts,
                         uint32_t count, uint32_t left_ms, struct ce_gang_nccl_word *ret)
{
    char why[CE_GANG_NCCL_WHY];
    *ret = (struct ce_gang_nccl_word){.plan = CE_GANG_NCCL_GO, .left_ms = left_ms};
    for (uint32_t i = 0; i < count; i++)
        if (!is_clean(&seen[i], &verdicts[i])) {
            refuse(ret, CE_GANG_NCCL_SKIP, "the nodes did not find each other well before");
            return;
        }
    for (uint32_t i = 0; i < count; i++)
        if (!can_take_part(&seen[i].view.nccl, i, ret))
            return;
    if (left_ms >= CE_GANG_NCCL_LEAST_MS)
        return;
    snprintf(why, sizeof why, "%u ms are left of preflight.deadline, too little", left_ms);
    refuse(ret, CE_GANG_NCCL_NOT_KNOWN, why);
}
