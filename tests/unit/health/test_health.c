/* SPDX-License-Identifier: Apache-2.0 */
#include "health/health.h"

#include "../unit.h"
#include "base/text.h"

/* Two rails of one board, of which the second is as the row says. */
#define FACTS(second)                                                                              \
    "format=1\nib.mlx5_0.type=MT4129\nib.mlx5_0.firmware=28.39.1002\nib.mlx5_0.board_id=MT_838\n"     \
    "ib.mlx5_1.firmware=28.39.1002\nib.mlx5_1.board_id=MT_838\nib.mlx5_0.1.state=4\nib.mlx5_0.1.phys_state=5\n"             \
    "ib.mlx5_0.1.rate_mbps=400000\nib.mlx5_0.1.link_layer=infiniband\n"                            \
    "ib.mlx5_1.type=MT4129\nib.mlx5_1.1.link_layer=infiniband\n" second "gpu.count=0\nend=1\n"
#define WELL FACTS("ib.mlx5_1.1.state=4\nib.mlx5_1.1.phys_state=5\nib.mlx5_1.1.rate_mbps=400000\n")
#define DOWN FACTS("ib.mlx5_1.1.state=1\nib.mlx5_1.1.phys_state=2\n")
#define SLOW FACTS("ib.mlx5_1.1.state=4\nib.mlx5_1.1.phys_state=5\nib.mlx5_1.1.rate_mbps=100000\n")
#define UNREAD "format=1\nrdma.unread=1\ngpu.count=0\nend=1\n"

/* Findings as "CHECK VERDICT RESPONSE", those that pass or were skipped left out. */
static const struct row {
    const char *name, *facts;
    struct ce_rails_expected rails;
    uint32_t gpus;
    const char *findings;
} rows[] = {
    {"a_node_that_is_well", WELL, {2, CE_LINK_INFINIBAND, 400}, 0, ""},
    {"nothing_expected_nothing_found", WELL, {0, CE_LINK_UNKNOWN, 0}, 0, ""},
    {"a_fault_is_drained_for_without_a_configuration", DOWN, {0, CE_LINK_UNKNOWN, 0}, 0,
     "ib.port.state fail drain\n"},
    {"a_rail_less_than_expected_is_drained_for", WELL, {3, CE_LINK_UNKNOWN, 0}, 0, "ib.rail.count fail drain\n"},
    {"a_rail_more_than_expected_is_told", WELL, {1, CE_LINK_UNKNOWN, 0}, 0, "ib.rail.count warn warn\n"},
    {"a_rate_less_than_expected_is_drained_for", SLOW, {0, CE_LINK_UNKNOWN, 400}, 0, "ib.port.rate fail drain\n"},
    {"another_link_layer_is_drained_for", WELL, {0, CE_LINK_ETHERNET, 0}, 0,
     "ib.port.link_layer fail drain\nib.port.link_layer fail drain\n"},
    {"a_gpu_less_than_expected_is_drained_for", WELL, {0, CE_LINK_UNKNOWN, 0}, 8, "gpu.count fail drain\n"},
    {"devices_that_could_not_be_read_are_never_a_fault", UNREAD, {8, CE_LINK_INFINIBAND, 400}, 0,
     "ib.rail.count unknown warn\nib.port.state unknown warn\nib.port.rate unknown warn\n"
     "ib.port.link_layer unknown warn\n"},
    {"a_node_without_rdma_devices_has_lost_them", "format=1\ngpu.count=0\nend=1\n", {8, CE_LINK_UNKNOWN, 0}, 0,
     "ib.rail.count fail drain\n"},
    {"a_node_without_rdma_devices_where_none_are_expected", "format=1\ngpu.count=0\nend=1\n",
     {0, CE_LINK_UNKNOWN, 0}, 0, ""},
    {"a_bus_that_could_not_be_read_is_never_a_fault", "format=1\nend=1\n", {0, CE_LINK_UNKNOWN, 0}, 8,
     "gpu.count unknown warn\n"},
};

static void judge(const char *facts, const struct ce_policy *policy, unsigned phase,
                  const char *only, struct ce_findings *findings)
{
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(facts, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(ce_health_judge(node, policy, phase, only, findings, &err), 0);
}

static void judges(void **state)
{
    const struct row *row = *state;
    struct ce_policy policy;
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    ce_policy_default(&policy);
    policy.rails = row->rails;
    policy.gpus = row->gpus;
    for (unsigned phase = CE_PROLOG; phase <= CE_MANUAL; phase <<= 1) {
        ce_autofindings struct ce_findings findings = {.count = 0};
        judge(row->facts, &policy, phase, NULL, &findings);
        text.length = 0;
        ce_text_add(&text, "");
        for (size_t i = 0; i < findings.count; i++) {
            const struct ce_finding *finding = &findings.items[i];
            assert_true(finding->what[0] && finding->remedy[0]);
            if (finding->verdict > CE_SKIP)
                ce_text_addf(&text, "%s %s %s\n", finding->check,
                             ce_verdict_name(finding->verdict),
                             ce_response_name(finding->response));
            else
                assert_int_equal(finding->response, CE_IGNORE);
        }
        assert_string_equal(findings.count && text.length ? ce_text_string(&text) : "",
                            row->findings);
    }
}

static void every_check_says_something_of_every_node(void **state)
{
    static const char *const nodes[] = {WELL, DOWN, SLOW, UNREAD, "format=1\nend=1\n"};
    struct ce_policy policy;
    (void)state;
    ce_policy_default(&policy);
    for (size_t k = 0; k < UNIT_COUNT(nodes); k++)
        for (size_t i = 0; ce_health_check_at(i); i++) {
            const char *name = ce_health_check_at(i)->name;
            ce_autofindings struct ce_findings findings = {.count = 0};
            judge(nodes[k], &policy, ce_health_check_at(i)->phases, name, &findings);
            assert_true(findings.count > 0);
            for (size_t j = 0; j < findings.count; j++)
                assert_string_equal(findings.items[j].check, name);
        }
}

/* A job's facts, replayed: what only checks read is not in them. */
static void without_details_they_are_skipped(void **state)
{
    const struct ce_check *check;
    struct ce_policy policy;
    (void)state;
    ce_policy_default(&policy);
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++) {
        ce_autofindings struct ce_findings findings = {.count = 0};
        if (!(check->traits & CE_DETAILED))
            continue;
        judge(WELL, &policy, check->phases, check->name, &findings);
        assert_int_equal(findings.count, 1);
        assert_int_equal(findings.items[0].verdict, CE_SKIP);
    }
}

static void a_check_runs_in_its_phases_alone(void **state)
{
    struct ce_policy policy;
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    ce_policy_default(&policy);
    judge(DOWN, &policy, 0, NULL, &findings);
    assert_int_equal(findings.count, 0);
}

static void observing_judges_alike(void **state)
{
    struct ce_policy policy;
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    ce_policy_default(&policy);
    policy.mode = CE_MODE_OBSERVE;
    judge(DOWN, &policy, CE_PROLOG, "ib.port.state", &findings);
    assert_int_equal(findings.count, 2);
    assert_int_equal(findings.items[1].response, CE_DRAIN);
    assert_true(ce_health_has(&findings, CE_FAIL));
    assert_true(ce_health_has(&findings, CE_PASS));
    assert_false(ce_health_has(&findings, CE_UNKNOWN));
}

/* What the site says of ib.*, and what that makes of the findings of CHECK with this verdict. */
static const struct rule_row {
    const char *name, *facts, *check;
    struct ce_check_rule rule;
    enum ce_verdict verdict;
    enum ce_response response;
} rules[] = {
    {"a_fault_only_warns", DOWN, "ib.port.state", {.has_fault = true, .fault = CE_TELL}, CE_FAIL, CE_TELL},
    {"a_fault_is_ignored", DOWN, "ib.port.state", {.has_fault = true, .fault = CE_IGNORE}, CE_FAIL, CE_IGNORE},
    {"what_is_odd_is_ignored_too", WELL, "ib.rail.count", {.has_fault = true, .fault = CE_IGNORE}, CE_WARN, CE_IGNORE},
    {"what_is_odd_never_drains", WELL, "ib.rail.count", {.has_fault = true, .fault = CE_DRAIN}, CE_WARN, CE_TELL},
    {"what_is_unknown_is_ignored", UNREAD, "ib.port.state", {.has_unknown = true, .unknown = CE_IGNORE}, CE_UNKNOWN,
     CE_IGNORE},
    {"a_rule_of_faults_leaves_it", UNREAD, "ib.port.state", {.has_fault = true, .fault = CE_DRAIN}, CE_UNKNOWN, CE_TELL},
    {"what_passed_stays_so", WELL, "ib.port.state", {.has_fault = true, .fault = CE_DRAIN}, CE_PASS, CE_IGNORE},
};

static void a_site_has_its_own_responses(void **state)
{
    const struct rule_row *row = *state;
    struct ce_policy policy;
    ce_autofindings struct ce_findings findings = {.count = 0};
    size_t seen = 0;
    ce_policy_default(&policy);
    policy.checks.items[0] = row->rule;
    strcpy(policy.checks.items[0].name, "ib.*");
    policy.checks.count = 1;
    policy.rails.count = row->verdict == CE_WARN; /* one more is there */
    judge(row->facts, &policy, CE_PROLOG, row->check, &findings);
    for (size_t i = 0; i < findings.count; i++)
        if (findings.items[i].verdict == row->verdict) {
            assert_int_equal(findings.items[i].response, row->response);
            seen++;
        }
    assert_true(seen > 0);
    assert_int_equal(ce_health_matters(&findings, row->verdict), row->response != CE_IGNORE);
}

static void every_row_is_whole(void **state)
{
    const struct ce_check *check;
    (void)state;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++) {
        assert_ptr_equal(ce_health_check_find(check->name), check);
        assert_non_null(strchr(check->name, '.'));
        assert_int_equal(strspn(check->name, "abcdefghijklmnopqrstuvwxyz0123456789._"),
                         strlen(check->name));
        assert_true(check->phases && !(check->phases & ~(unsigned)(CE_EVERY_PHASE | CE_PREFLIGHT)));
        assert_true(check->what[0] && check->remedy[0] && check->doc[0] && check->judge);
        assert_int_not_equal(check->unknown, CE_DRAIN);
        assert_true(!(check->traits & CE_RECOVERABLE) || check->phases & CE_MANUAL); /* else it never passes */
        assert_null(strpbrk(check->remedy, ";[]")); /* they end things in the reason */
    }
}

int main(void)
{
    UNIT_TABLE(rows, judges);
    UNIT_RULE(every_check_says_something_of_every_node);
    UNIT_RULE(without_details_they_are_skipped);
    UNIT_RULE(a_check_runs_in_its_phases_alone);
    UNIT_RULE(observing_judges_alike);
    UNIT_TABLE(rules, a_site_has_its_own_responses);
    UNIT_RULE(every_row_is_whole);
    return UNIT_RUN("health/health");
}
