/* SPDX-License-Identifier: Apache-2.0 */
#include "model/check_rule.h"

#include "../unit.h"

static const struct name_row {
    const char *name, *text;
    bool is_name;
} names[] = {
    {"a_check", "ib.port.rate", true},
    {"several_checks", "ib.counter.*", true},
    {"all_checks", "*", true},
    {"nothing", "", false},
    {"a_class_of_characters", "ib.[a-z]*", false},
    {"a_backslash", "ib\\*", false},
    {"capitals", "IB.port", false},
    {"more_than_there_is_room_for",
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
};

static void could_be_a_name(void **state)
{
    const struct name_row *row = *state;
    assert_int_equal(ce_check_rule_is_name(row->text), row->is_name);
}

#define FAULT(pattern, response) {.name = pattern, .has_fault = true, .fault = response}
#define UNKNOWN(pattern, response) {.name = pattern, .has_unknown = true, .unknown = response}

/* What is done by them about ib.port.rate, which drains and warns. */
static const struct lay_row {
    const char *name;
    struct ce_check_rule rules[2];
    enum ce_response fault, unknown;
} lays[] = {
    {"no_rule_leaves_it", {{.name = ""}}, CE_DRAIN, CE_TELL},
    {"its_own_name", {FAULT("ib.port.rate", CE_TELL)}, CE_TELL, CE_TELL},
    {"another_name_leaves_it", {FAULT("ib.port.state", CE_TELL)}, CE_DRAIN, CE_TELL},
    {"a_pattern", {FAULT("ib.port.*", CE_IGNORE)}, CE_IGNORE, CE_TELL},
    {"dots_are_no_limit_to_a_star", {FAULT("ib*", CE_IGNORE)}, CE_IGNORE, CE_TELL},
    {"the_beginning_of_a_name_is_none", {FAULT("ib.port", CE_IGNORE)}, CE_DRAIN, CE_TELL},
    {"unknown_alone", {UNKNOWN("ib.port.rate", CE_IGNORE)}, CE_DRAIN, CE_IGNORE},
    {"two_rules_add_up", {FAULT("*", CE_TELL), UNKNOWN("ib.*", CE_IGNORE)}, CE_TELL, CE_IGNORE},
    {"the_later_one_wins", {FAULT("*", CE_IGNORE), FAULT("ib.port.rate", CE_DRAIN)}, CE_DRAIN, CE_TELL},
    {"also_where_it_is_the_wider", {FAULT("ib.port.rate", CE_TELL), FAULT("*", CE_IGNORE)}, CE_IGNORE, CE_TELL},
};

static void are_laid(void **state)
{
    const struct lay_row *row = *state;
    struct ce_check_rules rules = {.count = 0};
    enum ce_response fault = CE_DRAIN, unknown = CE_TELL;
    for (size_t i = 0; i < UNIT_COUNT(row->rules) && row->rules[i].name[0]; i++)
        assert_int_equal(ce_check_rules_add(&rules, &row->rules[i]), 0);
    ce_check_rules_lay(&rules, "ib.port.rate", &fault, &unknown);
    assert_int_equal(fault, row->fault);
    assert_int_equal(unknown, row->unknown);
}

static void the_last_limit_counts(void **state)
{
    struct ce_check_rules rules = {.count = 0};
    const struct ce_check_rule wide = {.name = "ib.*", .has_limit = true, .limit = 7},
                               own = {.name = "ib.port.rate", .has_limit = true, .limit = 0};
    (void)state;
    assert_int_equal(ce_check_rules_limit(&rules, "ib.port.rate", 4), 4);
    ce_check_rules_add(&rules, &wide);
    assert_int_equal(ce_check_rules_limit(&rules, "ib.port.rate", 4), 7);
    assert_int_equal(ce_check_rules_limit(&rules, "gpu.count", 4), 4);
    ce_check_rules_add(&rules, &own);
    assert_int_equal(ce_check_rules_limit(&rules, "ib.port.rate", 4), 0);
}

static void there_are_only_so_many(void **state)
{
    struct ce_check_rules rules = {.count = 0};
    const struct ce_check_rule rule = FAULT("*", CE_TELL);
    (void)state;
    for (int i = 0; i < CE_CHECK_RULES_MAX; i++)
        assert_int_equal(ce_check_rules_add(&rules, &rule), 0);
    assert_int_equal(ce_check_rules_add(&rules, &rule), -1);
}

int main(void)
{
    UNIT_TABLE(names, could_be_a_name);
    UNIT_TABLE(lays, are_laid);
    UNIT_RULE(the_last_limit_counts);
    UNIT_RULE(there_are_only_so_many);
    return UNIT_RUN("model/check_rule");
}
