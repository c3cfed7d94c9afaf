/* SPDX-License-Identifier: Apache-2.0 */
/* What a check says of facts, as lines "VERDICT SUBJECT TEXT". */
#ifndef CE_TESTS_UNIT_JUDGED_H
#define CE_TESTS_UNIT_JUDGED_H

#include "../unit.h"
#include "base/text.h"
#include "checks/check.h"
#include "seen.h"

static inline const struct ce_check *judged_check(const struct ce_check *checks, size_t count,
                                                  const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(checks[i].name, name) == 0)
            return &checks[i];
    fail_msg("there is no check called %s", name);
    return NULL;
}

static inline enum ce_verdict judged_worst(const struct ce_findings *findings)
{
    enum ce_verdict worst = CE_PASS;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].verdict > worst)
            worst = findings->items[i].verdict;
    return worst;
}

static inline bool judged_drains(const struct ce_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].response == CE_DRAIN)
            return true;
    return false;
}

/* Findings of the check on the view are these lines; " | REMEDY" where one has its own. */
static inline void judged_are(const struct ce_check *check, const struct ce_check_view *view,
                              const char *expected)
{
    ce_autofindings struct ce_findings findings = {.count = 0};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    check->judge(view, &findings);
    assert_false(findings.lost);
    for (size_t i = 0; i < findings.count; i++) {
        const struct ce_finding *finding = &findings.items[i];
        ce_text_addf(&text, "%s %s%s%s", ce_verdict_name(finding->verdict), finding->subject,
                     finding->subject[0] ? " " : "", finding->text);
        ce_text_addf(&text, "%s%s\n", finding->remedy[0] ? " | " : "", finding->remedy);
    }
    assert_string_equal(ce_text_string(&text), expected);
    seen_all(check->name, &findings);
}

#endif
