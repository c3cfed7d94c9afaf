/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/agreement.h"

#include "../unit.h"

#define IB CE_LINK_INFINIBAND
#define ETH CE_LINK_ETHERNET
#define WARN CE_DIFFER_WARN
#define COMMON CE_DIFFER_COMMON
#define REFUSE CE_DIFFER_REFUSE
#define EIGHT {8, IB, 400}
#define ALL_KEYS (CE_RAILS_COUNT | CE_RAILS_LINK_LAYER | CE_RAILS_RATE)

static struct ce_allocation allocation_of(const char *nodes)
{
    struct ce_error err = {""};
    struct ce_allocation allocation = {.nodes = ce_hostlist_parse(nodes, &err)};
    assert_string_equal(err.text, "");
    return allocation;
}

/* ---------------------------------------------------------------- this node */

static const struct own_row {
    const char *name;
    enum ce_differ differ;
    struct ce_rails_expected expected, found;
    bool refused;
    const char *says; /* NULL: nothing */
} owns[] = {
    {"a_node_as_expected_says_nothing", REFUSE, EIGHT, EIGHT, false, NULL},
    {"a_node_of_which_nothing_is_expected_says_nothing", REFUSE, {0, 0, 0}, {3, ETH, 25}, false,
     NULL},
    {"a_kind_without_a_number_is_no_expectation", REFUSE, {0, IB, 400}, {3, ETH, 25}, false, NULL},
    {"any_link_layer_will_do", REFUSE, {8, 0, 400}, {8, ETH, 400}, false, NULL},
    {"any_rate_will_do", REFUSE, {8, IB, 0}, {8, IB, 10}, false, NULL},
    {"a_faster_node_says_nothing", REFUSE, {8, IB, 200}, EIGHT, false, NULL},
    {"rails_that_are_down_are_not_slow", REFUSE, EIGHT, {8, IB, 0}, false, NULL},
    {"fewer_rails_are_told", WARN, EIGHT, {7, IB, 400}, false,
     "this node has 7 InfiniBand rails of 400 Gb/s, expected 8 InfiniBand rails of 400 Gb/s"},
    {"fewer_rails_end_a_step_that_wants_common_ones", COMMON, EIGHT, {7, IB, 400}, true,
     "has 7 InfiniBand rails"},
    {"fewer_rails_end_a_step_that_is_to_be_refused", REFUSE, EIGHT, {7, IB, 400}, true,
     "has 7 InfiniBand rails"},
    {"more_rails_are_told", WARN, EIGHT, {9, IB, 400}, false, "this node has 9 InfiniBand rails"},
    {"more_rails_end_a_step_too", COMMON, EIGHT, {9, IB, 400}, true, "has 9 InfiniBand rails"},
    {"another_link_layer_is_told", WARN, EIGHT, {8, ETH, 400}, false,
     "this node has 8 RoCE rails of 400 Gb/s, expected 8 InfiniBand"},
    {"another_link_layer_ends_a_step_that_wants_common_ones", COMMON, EIGHT, {8, ETH, 400}, true,
     "8 RoCE rails"},
    {"another_link_layer_ends_a_step_that_is_to_be_refused", REFUSE, EIGHT, {8, ETH, 400}, true,
     "8 RoCE rails"},
    {"a_slow_node_is_told", WARN, EIGHT, {8, IB, 200}, false,
     "this node has 8 InfiniBand rails of 200 Gb/s, expected 8"},
    {"a_slow_node_does_not_end_a_step_that_wants_common_ones", COMMON, EIGHT, {8, IB, 200}, false,
     "of 200 Gb/s"},
    {"a_slow_node_ends_a_step_that_is_to_be_refused", REFUSE, EIGHT, {8, IB, 200}, true,
     "of 200 Gb/s"},
    {"one_rail_is_one", WARN, {1, 0, 0}, {2, IB, 100}, false,
     "2 InfiniBand rails of 100 Gb/s, expected 1 rail;"},
};

static struct ce_rails rails_of(const struct ce_rails_expected *found)
{
    return (struct ce_rails){
        .verdict = found->count ? CE_RAILS_CHOSEN : CE_RAILS_NONE,
        .count = found->count,
        .active = found->rate_gbps ? found->count : 0,
        .link_layer = found->link_layer,
        .rate_mbps = found->rate_gbps * 1000,
    };
}

static struct ce_agreement judge(const struct ce_rails *rails, enum ce_differ differ,
                                 const struct ce_rails_expected *expected,
                                 const struct ce_rules *rules, const char *nodes)
{
    struct ce_agreement agreement;
    struct ce_error err = {""};
    struct ce_policy policy;
    struct ce_allocation allocation = allocation_of(nodes);
    ce_policy_default(&policy);
    policy.differ = differ;
    policy.rails = *expected;
    assert_int_equal(ce_agreement_judge(rails, &policy, rules, &allocation, &agreement, &err), 0);
    assert_string_equal(err.text, "");
    ce_allocation_free(&allocation);
    return agreement;
}

static void judges_itself(void **state)
{
    const struct own_row *row = *state;
    const struct ce_rails rails = rails_of(&row->found);
    struct ce_agreement agreement = judge(&rails, row->differ, &row->expected, NULL, "n[1-2]");
    assert_int_equal(agreement.refused, row->refused);
    assert_string_equal(agreement.all.text, "");
    assert_int_equal(agreement.limit, 0);
    if (row->says)
        unit_holds(agreement.own.text, row->says);
    else
        assert_string_equal(agreement.own.text, "");
}

static const struct none_row {
    const char *name;
    enum ce_rails_verdict verdict;
    const char *reason;
    bool refused;
    const char *says; /* NULL: nothing */
} nones[] = {
    {"a_node_without_rails_says_why_and_ends_the_step", CE_RAILS_NONE, "no RDMA device", true,
     "this node has no rails (no RDMA device), expected 8 InfiniBand rails of 400 Gb/s"},
    {"a_node_that_cannot_tell_says_so_and_runs", CE_RAILS_UNSURE, "two kinds of devices", false,
     "this node has rails that are not known (two kinds of devices), expected 8"},
    {"a_node_of_another_provider_says_nothing", CE_RAILS_PROVIDER, "EFA", false, NULL},
};

static void judges_itself_without(void **state)
{
    static const struct ce_rails_expected eight = EIGHT;
    const struct none_row *row = *state;
    struct ce_rails rails = {.verdict = row->verdict};
    strcpy(rails.reason, row->reason);
    struct ce_agreement agreement = judge(&rails, REFUSE, &eight, NULL, "n[1-2]");
    assert_int_equal(agreement.refused, row->refused);
    if (row->says)
        unit_holds(agreement.own.text, row->says);
    else
        assert_string_equal(agreement.own.text, "");
}

static void alone_a_node_tells_and_runs(void **state)
{
    static const struct ce_rails_expected eight = EIGHT, seven = {7, IB, 400};
    const struct ce_rails rails = rails_of(&seven);
    (void)state;
    struct ce_agreement agreement = judge(&rails, REFUSE, &eight, NULL, "n1");
    assert_false(agreement.refused);
    unit_holds(agreement.own.text, "has 7 InfiniBand rails");
}

/* ---------------------------------------------------------------- all nodes */

enum { GROUPS = 3 };
struct group {
    const char *names;
    struct ce_rails_expected rails;
    unsigned keys; /* 0: all */
};

static struct ce_rules *rules_of(const struct ce_rails_expected *general, const struct group *groups)
{
    struct ce_error err = {""};
    struct ce_rules *rules = ce_rules_create();
    assert_non_null(rules);
    rules->general = *general;
    for (size_t i = 0; i < GROUPS && groups[i].names; i++)
        assert_int_equal(ce_rules_add_group(rules, groups[i].names, &groups[i].rails,
                                            groups[i].keys ? groups[i].keys : ALL_KEYS, &err),
                         0);
    return rules;
}

/* This node is as expected. */
static const struct all_row {
    const char *name, *nodes;
    enum ce_differ differ;
    struct ce_rails_expected general;
    struct group groups[GROUPS];
    size_t limit;
    bool no_rdma, refused;
    const char *says; /* NULL: nothing */
} alls[] = {
    {"equal_nodes_say_nothing", "n[1-4]", REFUSE, EIGHT, {{0}}, 0, false, false, NULL},
    {"a_group_that_is_not_in_the_step_does_not_matter", "n[1-4]", REFUSE, EIGHT,
     {{"n[5-8]", {4, IB, 400}}}, 0, false, false, NULL},
    {"a_group_of_all_nodes_is_equal", "n[5-8]", REFUSE, EIGHT, {{"n[5-8]", {4, IB, 400}}}, 0, false,
     false, NULL},
    {"another_number_is_told", "n[1-8]", WARN, EIGHT, {{"n[5-8]", {4, IB, 400}}}, 0, false, false,
     "the nodes have different rails: n1 8 InfiniBand rails of 400 Gb/s, n5 4 InfiniBand rails of "
     "400 Gb/s; NCCL may hang"},
    {"with_another_number_as_many_as_the_fewest_are_used", "n[1-8]", COMMON, EIGHT,
     {{"n[5-8]", {4, IB, 400}}}, 4, false, false, "NCCL is given the first 4 of each"},
    {"the_fewest_of_several_groups_are_used", "n[1-8]", COMMON, EIGHT,
     {{"n[5-6]", {4, IB, 400}}, {"n7", {2, IB, 400}}}, 2, false, false, "n1 8 InfiniBand"},
    {"the_first_node_may_have_the_fewest", "n[4-5],n1", COMMON, EIGHT, {{"n[4-5]", {4, IB, 400}}},
     4, false, false, "n4 4 InfiniBand rails of 400 Gb/s, n1 8"},
    {"another_number_ends_a_step_that_is_to_be_refused", "n[1-8]", REFUSE, EIGHT,
     {{"n[5-8]", {4, IB, 400}}}, 0, false, true, "choose equal nodes"},
    {"another_link_layer_is_told", "n[1-8]", WARN, EIGHT, {{"n[5-8]", {8, ETH, 400}}}, 0, false,
     false, "n5 8 RoCE rails of 400 Gb/s; NCCL may hang"},
    {"with_another_link_layer_there_are_none_in_common", "n[1-8]", COMMON, EIGHT,
     {{"n[5-8]", {8, ETH, 400}}}, 8, true, false, "they have none in common, so NCCL uses sockets"},
    {"another_link_layer_ends_a_step_that_is_to_be_refused", "n[1-8]", REFUSE, EIGHT,
     {{"n[5-8]", {8, ETH, 400}}}, 0, false, true, "choose equal nodes"},
    {"another_rate_is_no_difference", "n[1-8]", REFUSE, EIGHT, {{"n[5-8]", {8, IB, 200}}}, 0, false,
     false, NULL},
    {"a_node_of_which_nothing_is_known_is_not_compared", "n[1-8]", REFUSE, EIGHT,
     {{"n[5-8]", {0, 0, 0}}}, 0, false, false, NULL},
    {"behind_such_a_first_node_the_others_are_compared", "n0,n[1-8]", COMMON, EIGHT,
     {{"n0", {0, 0, 0}}, {"n[5-8]", {4, IB, 400}}}, 4, false, false, "n1 8 InfiniBand"},
    {"an_unknown_link_layer_fits_any", "n[1-8]", REFUSE, EIGHT, {{"n[5-8]", {8, 0, 0}}}, 0, false,
     false, NULL},
    {"behind_an_unknown_link_layer_the_others_are_compared", "n0,n[1-8]", COMMON, {8, IB, 0},
     {{"n0", {8, 0, 0}}, {"n[5-8]", {8, ETH, 0}}}, 8, true, false, "none in common"},
    {"a_later_group_counts_more", "n[1-8]", REFUSE, EIGHT,
     {{"n[5-8]", {4, IB, 400}}, {"n[1-8]", EIGHT}}, 0, false, false, NULL},
    {"a_group_that_says_less_leaves_the_rest", "n[1-8]", REFUSE, EIGHT,
     {{"n[5-8]", {4, IB, 400}}, {"n[5-8]", {0, IB, 200}, CE_RAILS_RATE}}, 0, false, true,
     "n5 4 InfiniBand rails of 200 Gb/s"},
    {"a_later_group_may_say_the_general_again", "n[1-8]", REFUSE, EIGHT,
     {{"n[5-8]", {4, IB, 400}}, {"n[5-8]", {8, 0, 0}, CE_RAILS_COUNT}}, 0, false, false, NULL},
    {"a_node_alone_is_equal", "n5", REFUSE, EIGHT, {{"n[5-8]", {4, IB, 400}}}, 0, false, false,
     NULL},
};

static void judges_all(void **state)
{
    const struct all_row *row = *state;
    const struct ce_rails rails = rails_of(&row->general);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = rules_of(&row->general, row->groups);
    struct ce_agreement agreement = judge(&rails, row->differ, &row->general, rules, row->nodes);
    assert_string_equal(agreement.own.text, "");
    assert_int_equal(agreement.limit, row->limit);
    assert_int_equal(agreement.no_rdma, row->no_rdma);
    assert_int_equal(agreement.refused, row->refused);
    if (row->says)
        unit_holds(agreement.all.text, row->says);
    else
        assert_string_equal(agreement.all.text, "");
}

static void without_rules_nodes_are_equal(void **state)
{
    static const struct ce_rails_expected eight = EIGHT;
    const struct ce_rails rails = rails_of(&eight);
    (void)state;
    struct ce_agreement agreement = judge(&rails, REFUSE, &eight, NULL, "n[1-8]");
    assert_string_equal(agreement.all.text, "");
    assert_false(agreement.refused);
}

static void names_that_are_no_list_are_an_error(void **state)
{
    static const struct ce_rails_expected eight = EIGHT;
    static const struct group broken[GROUPS] = {{"n1", EIGHT}, {"n[1-", EIGHT}};
    const struct ce_rails rails = rails_of(&eight);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = rules_of(&eight, broken);
    struct ce_allocation allocation = allocation_of("n[1-2]");
    struct ce_agreement agreement;
    struct ce_error err = {""};
    struct ce_policy policy;
    (void)state;
    ce_policy_default(&policy);
    assert_int_equal(ce_agreement_judge(&rails, &policy, rules, &allocation, &agreement, &err), -1);
    unit_holds(err.text, "node.policy: rails.group.1.names: host list");
    ce_allocation_free(&allocation);
}

/* The last of 16,384 nodes is the one that differs. */
static void many_nodes_in_many_groups_are_judged(void **state)
{
    static const struct ce_rails_expected eight = EIGHT, two = {2, IB, 400};
    const struct ce_rails rails = rails_of(&eight);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    (void)state;
    assert_non_null(rules);
    for (unsigned i = 0; i < CE_RULES_GROUPS_MAX; i++) {
        char names[64];
        snprintf(names, sizeof names, "n[%u-%u]", i * 64, i * 64 + 63);
        bool last = i == CE_RULES_GROUPS_MAX - 1;
        assert_int_equal(ce_rules_add_group(rules, names, last ? &two : &eight, ALL_KEYS, NULL), 0);
    }
    struct ce_agreement agreement = judge(&rails, COMMON, &eight, rules, "n[0-16383]");
    unit_holds(agreement.all.text, "n0 8 InfiniBand rails of 400 Gb/s, n16320 2 InfiniBand");
    assert_int_equal(agreement.limit, 2);
}

int main(void)
{
    UNIT_TABLE(owns, judges_itself);
    UNIT_TABLE(nones, judges_itself_without);
    UNIT_RULE(alone_a_node_tells_and_runs);
    UNIT_TABLE(alls, judges_all);
    UNIT_RULE(without_rules_nodes_are_equal);
    UNIT_RULE(names_that_are_no_list_are_an_error);
    UNIT_RULE(many_nodes_in_many_groups_are_judged);
    return UNIT_RUN("launch/agreement");
}
