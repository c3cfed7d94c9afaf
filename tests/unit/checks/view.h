/* SPDX-License-Identifier: Apache-2.0 */
/* One check on facts that stand in the test as text. */
#ifndef CE_TESTS_UNIT_VIEW_H
#define CE_TESTS_UNIT_VIEW_H

#include "../unit.h"
#include "health/health.h"
#include "seen.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

static inline struct ce_node *view_node(const char *text)
{
    struct ce_error err = {""};
    struct ce_node *node = ce_node_parse(text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(node);
    return node;
}

/* What the check finds, and that as text: "pass mlx5_0/1 +0", one line for each; `before` may be NULL. */
static inline void view_judge(const char *check, const char *before, const char *now,
                              const struct ce_policy *policy, struct ce_findings *findings,
                              struct ce_text *out)
{
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *node = view_node(now);
    node->detailed = true;
    ce_auto(ce_node_destroy) struct ce_node *old = before ? view_node(before) : NULL;
    const struct ce_check *row = ce_health_check_find(check);
    assert_non_null(row);
    assert_int_equal(ce_health_judge_since(node, old, policy, row->phases & -row->phases, check,
                                           findings, &err),
                     0);
    for (size_t i = 0; i < findings->count; i++) {
        const struct ce_finding *finding = &findings->items[i];
        ce_text_addf(out, "%s%s%s%s %s", i ? "\n" : "", ce_verdict_name(finding->verdict),
                     finding->subject[0] ? " " : "", finding->subject, finding->text);
        assert_true(finding->verdict == CE_FAIL || finding->response != CE_DRAIN);
    }
}

/* The check says just this of these facts. */
static inline void view_says(const char *check, const char *before, const char *now,
                             const struct ce_policy *policy, const char *expected)
{
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    struct ce_policy none;
    ce_policy_default(&none);
    view_judge(check, before, now, policy ? policy : &none, &findings, &out);
    assert_string_equal(ce_text_string(&out), expected);
    seen_all(check, &findings);
}

#endif
