/* SPDX-License-Identifier: Apache-2.0 */
#include "health/patience.h"

#include "../unit.h"
#include "health/health.h"

/* What each question is waited for, in the order of enum ce_question. */
static const struct wait_row {
    const char *name;
    unsigned phase;
    const char *only;
    struct ce_check_rule rules[4];
    unsigned ms[CE_QUESTIONS];
} waits[] = {
    {"without_a_rule_as_the_run_has_it", CE_PROLOG, NULL, {{.name = ""}}, {0}},
    {"all_checks", CE_PROLOG, NULL, {{.name = "*", .deadline_ms = 500}}, {500, 500, 500, 500, 0, 500}},
    {"the_most_patient_counts", CE_PROLOG, NULL,
     {{.name = "*", .deadline_ms = 500}, {.name = "gpu.mig", .deadline_ms = 900}}, {500, 500, 500, 900, 0, 500}},
    {"one_without_a_deadline_has_the_run_s", CE_PROLOG, NULL, {{.name = "gpu.m*", .deadline_ms = 500}}, {0}},
    {"checks_of_the_gpus_alone", CE_PROLOG, NULL, {{.name = "gpu.*", .deadline_ms = 500}}, {0, 0, 0, 500, 0, 0}},
    {"those_of_other_phases_do_not_count", CE_PROLOG, NULL,
     {{.name = "*", .deadline_ms = 500}, {.name = "gpu.job.*", .deadline_ms = 900}, {.name = "ib.counter.*", .deadline_ms = 900}},
     {500, 500, 500, 500, 0, 500}},
    {"in_theirs_they_do", CE_EPILOG, NULL,
     {{.name = "*", .deadline_ms = 500}, {.name = "gpu.job.*", .deadline_ms = 900}, {.name = "ib.counter.*", .deadline_ms = 800}},
     {500, 800, 0, 900, 0, 800}},
    {"one_check_alone", CE_PROLOG, "gpu.mig", {{.name = "gpu.mig", .deadline_ms = 500}}, {0, 0, 0, 500, 0, 0}},
    {"the_last_rule_counts", CE_PROLOG, NULL,
     {{.name = "*", .deadline_ms = 500}, {.name = "gpu.*", .deadline_ms = 700}, {.name = "gpu.*", .has_fault = true}},
     {700, 500, 500, 700, 0, 500}},
};

static struct ce_policy policy_of(const struct ce_check_rule *rules)
{
    struct ce_policy policy;
    ce_policy_default(&policy);
    for (size_t i = 0; i < 4 && rules[i].name[0]; i++)
        assert_int_equal(ce_check_rules_add(&policy.checks, &rules[i]), 0);
    return policy;
}

static void waits_for(void **state)
{
    const struct wait_row *row = *state;
    const struct ce_policy policy = policy_of(row->rules);
    struct ce_patience patience;
    ce_patience_find(&policy, row->phase, row->only, &patience);
    for (unsigned k = 0; k < CE_QUESTIONS; k++)
        assert_int_equal(patience.ms[k], row->ms[k]);
}

static const struct late_row {
    const char *name, *check, *pattern;
    unsigned deadline_ms;
    struct ce_times times;
    const char *text; /* NULL: in time */
} lates[] = {
    {"in_time", "gpu.mig", "gpu.*", 500, {{[CE_ASK_GPUS] = 499}}, NULL},
    {"at_the_last_moment", "gpu.mig", "gpu.*", 500, {{[CE_ASK_GPUS] = 500}}, NULL},
    {"late", "gpu.mig", "gpu.*", 500, {{[CE_ASK_GPUS] = 501}}, "no answer within its deadline of 0.5 s (waited 0.501 s)"},
    {"another_check_s_deadline_is_not_its", "gpu.mig", "gpu.ecc.*", 500, {{[CE_ASK_GPUS] = 3500}}, NULL},
    {"what_others_asked_does_not_matter", "gpu.mig", "gpu.*", 500, {{[CE_ASK_KERNEL] = 3500, [CE_ASK_IB] = 3500}}, NULL},
    {"one_of_its_two_questions", "ib.counter.symbol_error", "ib.*", 500, {{[CE_ASK_IB] = 3, [CE_ASK_RAILS] = 2000}},
     "no answer within its deadline of 0.5 s (waited 2 s)"},
    {"the_other", "ib.counter.symbol_error", "ib.*", 500, {{[CE_ASK_IB] = 600}},
     "no answer within its deadline of 0.5 s (waited 0.6 s)"},
    {"nothing_asked", "gpu.count", "gpu.*", 500, {{3500, 3500, 3500, 3500, 3500, 3500}}, NULL},
};

static void is_late(void **state)
{
    const struct late_row *row = *state;
    struct ce_check_rule rules[4] = {{.deadline_ms = row->deadline_ms}};
    ce_autofindings struct ce_findings findings = {.count = 0};
    snprintf(rules[0].name, sizeof rules[0].name, "%s", row->pattern);
    const struct ce_policy policy = policy_of(rules);
    assert_int_equal(ce_patience_is_over(row->check, &policy, &row->times, &findings), row->text != NULL);
    assert_int_equal(findings.count, row->text != NULL);
    if (row->text) {
        assert_int_equal(findings.items[0].verdict, CE_UNKNOWN);
        assert_string_equal(findings.items[0].text, row->text);
    }
    assert_false(ce_patience_is_over(row->check, &policy, NULL, &findings));
}

/* Only the late check is unknown, and what is done about that is its policy's. */
static void the_others_of_that_question_go_on(void **state)
{
    const struct ce_check_rule rules[4] = {{.name = "ib.port.rate", .deadline_ms = 500}};
    const struct ce_policy policy = policy_of(rules);
    const struct ce_times times = {{[CE_ASK_IB] = 800}};
    struct ce_error err;
    ce_autofindings struct ce_findings findings = {.count = 0};
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(
        "format=1\nib.mlx5_0.type=MT4129\nib.mlx5_0.1.state=1\nib.mlx5_0.1.phys_state=2\n"
        "ib.mlx5_0.1.link_layer=infiniband\nend=1\n", &err);
    (void)state;
    assert_int_equal(ce_health_judge_job(node, NULL, NULL, &times, &policy, CE_PROLOG, NULL, &findings, &err), 0);
    size_t late = 0, down = 0;
    for (size_t i = 0; i < findings.count; i++) {
        const struct ce_finding *finding = &findings.items[i];
        if (strcmp(finding->check, "ib.port.rate") == 0) {
            unit_holds(finding->text, "deadline of 0.5 s (waited 0.8 s)");
            assert_int_equal(finding->response, CE_TELL);
            late++;
        } else
            assert_null(strstr(finding->text, "deadline"));
        down += strcmp(finding->check, "ib.port.state") == 0 && finding->verdict == CE_FAIL;
    }
    assert_int_equal(late, 1);
    assert_int_equal(down, 1);
}

/* One of a device that no question fed could not be late. */
static void every_check_of_a_device_is_fed(void **state)
{
    const struct ce_check *check;
    (void)state;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++) {
        bool device = strncmp(check->name, "ib.", 3) == 0 || strncmp(check->name, "gpu.", 4) == 0;
        assert_int_equal(ce_patience_concerns(check->name), device && strcmp(check->name, "gpu.count") != 0);
    }
}

int main(void)
{
    UNIT_TABLE(waits, waits_for);
    UNIT_TABLE(lates, is_late);
    UNIT_RULE(the_others_of_that_question_go_on);
    UNIT_RULE(every_check_of_a_device_is_fed);
    return UNIT_RUN("health/patience");
}
