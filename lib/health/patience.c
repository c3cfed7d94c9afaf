/* SPDX-License-Identifier: Apache-2.0 */
#include "health/patience.h"

#include <fnmatch.h>
#include <string.h>

#include "health/health.h"

enum {
    KERNEL = 1 << CE_ASK_KERNEL,
    IB = 1 << CE_ASK_IB,
    VERBS = 1 << CE_ASK_VERBS,
    GPUS = 1 << CE_ASK_GPUS,
    RAILS = 1 << CE_ASK_RAILS,
};

/* The first that covers a check holds; others are fed by files that nothing can hold. */
static const struct {
    const char *checks;
    unsigned questions;
} feeds[] = {
    {"gpu.count", 0},
    {"gpu.xid", KERNEL},
    {"gpu.sxid", KERNEL},
    {"gpu.*", GPUS},
    {"ib.link_flap", KERNEL | IB},
    {"ib.module.temperature", KERNEL | IB},
    {"ib.slot_power", KERNEL | IB},
    {"ib.counter.*", IB | RAILS},
    {"ib.pcie.*", IB | RAILS},
    {"ib.uverbs", IB | RAILS},
    {"ib.pkey", IB | RAILS},
    {"ib.firmware*", IB | VERBS},
    {"ib.*", IB},
};

static unsigned questions_of(const char *check)
{
    for (size_t i = 0; i < sizeof feeds / sizeof *feeds; i++)
        if (fnmatch(feeds[i].checks, check, FNM_NOESCAPE) == 0)
            return feeds[i].questions;
    return 0;
}

bool ce_patience_concerns(const char *check)
{
    return questions_of(check) != 0;
}

void ce_patience_find(const struct ce_policy *policy, unsigned phase, const char *only,
                      struct ce_patience *ret)
{
    const struct ce_check *check;
    unsigned boundless = 0;
    *ret = (struct ce_patience){.ms = {0}};
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++) {
        unsigned questions = questions_of(check->name);
        unsigned ms = ce_check_rules_deadline(&policy->checks, check->name);
        if (!(check->phases & phase) || (only && strcmp(only, check->name) != 0))
            continue;
        if (!ms)
            boundless |= questions;
        for (unsigned k = 0; k < CE_QUESTIONS; k++)
            if (questions >> k & 1 && ms > ret->ms[k])
                ret->ms[k] = ms;
    }
    for (unsigned k = 0; k < CE_QUESTIONS; k++)
        if (boundless >> k & 1)
            ret->ms[k] = 0;
}

bool ce_patience_is_over(const char *check, const struct ce_policy *policy,
                         const struct ce_times *times, struct ce_findings *out)
{
    unsigned ms = ce_check_rules_deadline(&policy->checks, check), questions = questions_of(check), took = 0;
    for (unsigned k = 0; times && k < CE_QUESTIONS; k++)
        if (questions >> k & 1 && times->ms[k] > took)
            took = times->ms[k];
    if (!ms || took <= ms)
        return false;
    ce_findings_add(out, CE_UNKNOWN, "", "no answer within its deadline of %g s (waited %g s)",
                    ms / 1000.0, took / 1000.0);
    return true;
}
