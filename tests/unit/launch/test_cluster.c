/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/cluster.h"

#include "base/text.h"
#include "scene.h"

#define BOOK "10.1.0.1 n1\n10.1.0.2 n2\n10.1.0.3 n3\n"

static const struct cluster_row {
    const char *name, *nodes, *address, *book;
    uint32_t known;
    const char *addresses, *note; /* note NULL: none */
} clusters[] = {
    {"addresses_come_in_rank_order", "n3,n1,n2", "10.1.0.1/16", BOOK, 3,
     "10.1.0.3 10.1.0.1 10.1.0.2", NULL},
    {"one_node_is_a_cluster", "n2", "10.1.0.2/16", BOOK, 1, "10.1.0.2", NULL},
    {"a_site_without_a_book_is_no_fault", "n[1-3]", "10.1.0.1/16", NULL, 0, "- - -", NULL},
    {"an_empty_book_is_no_fault", "n[1-3]", "10.1.0.1/16", "", 0, "- - -", NULL},
    {"a_book_of_other_nodes_is_no_fault", "n[1-3]", "10.1.0.1/16", "10.1.0.9 n9\n", 0, "- - -",
     NULL},
    {"a_book_that_knows_some_nodes_is_noted", "n[1-4]", "10.1.0.1/16", BOOK, 3,
     "10.1.0.1 10.1.0.2 10.1.0.3 -", "1 of 4 nodes, the first of them n4,"},
    {"the_first_missing_node_is_named", "n[8-9],n1", "10.1.0.1/16", BOOK, 1, "- - 10.1.0.1",
     "2 of 3 nodes, the first of them n8,"},
    {"a_node_off_the_cluster_network_is_missing", "n1,n2", "10.1.0.1/16",
     "10.1.0.1 n1\n10.2.0.2 n2\n", 1, "10.1.0.1 -", "1 of 2 nodes, the first of them n2,"},
    {"without_facts_the_book_alone_tells", "n[1-3]", NULL, BOOK, 3, "10.1.0.1 10.1.0.2 10.1.0.3",
     NULL},
};

static void cluster(void **state)
{
    const struct cluster_row *row = *state;
    const struct scene scene = {
        .nodes = row->nodes, .address = row->address, .book = row->book, .tasks = 1};
    ce_autotext struct ce_text joined = CE_TEXT(1000);
    char text[CE_ADDRESS_TEXT];
    struct stage stage;
    stage_set(&stage, &scene);
    for (uint32_t i = 0; i < stage.cluster.node_count; i++) {
        const struct ce_address *address = &stage.cluster.addresses[i];
        ce_text_addf(&joined, "%s%s", i ? " " : "",
                     address->family ? ce_address_format(address, text) : "-");
    }
    assert_string_equal(ce_text_string(&joined), row->addresses);
    assert_int_equal(stage.cluster.known, row->known);
    assert_int_equal(stage.notes.count, row->note ? 1 : 0);
    if (row->note)
        unit_holds(stage.notes.line[0].text, row->note);
    stage_clear(&stage);
}

static void as_many_nodes_as_a_list_holds_are_a_cluster(void **state)
{
    ce_autotext struct ce_text book = CE_TEXT(4 << 20);
    struct stage stage;
    (void)state;
    for (unsigned i = 0; i < CE_HOSTLIST_MAX; i++)
        ce_text_addf(&book, "10.1.%u.%u n%u\n", i >> 8, i & 255, i);
    const struct scene scene = {
        .nodes = "n[0-65535]", .address = "10.1.0.7/8", .book = ce_text_string(&book)};
    stage_set(&stage, &scene);
    assert_int_equal(stage.cluster.known, CE_HOSTLIST_MAX);
    assert_int_equal(stage.cluster.addresses[65535].bytes[3], 255);
    stage_clear(&stage);
}

static void a_cluster_may_be_freed_twice(void **state)
{
    struct stage stage;
    const struct scene scene = {.nodes = "n1"};
    (void)state;
    stage_set(&stage, &scene);
    ce_cluster_free(&stage.cluster);
    assert_null(stage.cluster.addresses);
    stage_clear(&stage);
}

static const struct check_row {
    const char *name;
    enum ce_step_kind kind;
    enum ce_node_order order;
    const char *node_name;
    uint32_t node_rank;
    const char *refusal; /* NULL: none */
} checks[] = {
    {"a_node_at_its_place_may_run", CE_STEP_TASKS, CE_ORDER_NODEID, "n2", 1, NULL},
    {"a_node_at_another_place_is_refused", CE_STEP_TASKS, CE_ORDER_NODEID, "n2", 0,
     "node 0 of the step is n1 by its node list, but this node is n2"},
    {"a_node_that_is_not_in_the_list_is_refused", CE_STEP_TASKS, CE_ORDER_NODEID, "n9", 1,
     "this node is n9"},
    {"a_node_with_a_name_of_one_letter_is_refused", CE_STEP_TASKS, CE_ORDER_NODEID, "m", 1,
     "this node is m"},
    {"a_node_whose_name_is_not_known_may_run", CE_STEP_TASKS, CE_ORDER_NODEID, "", 1, NULL},
    {"an_order_that_was_asked_for_may_run", CE_STEP_TASKS, CE_ORDER_LAYOUT, "n2", 1, NULL},
    {"an_order_that_did_not_arrive_is_refused", CE_STEP_TASKS, CE_ORDER_UNKNOWN, "n2", 1,
     "-m arbitrary"},
    {"a_batch_script_is_never_refused", CE_STEP_BATCH, CE_ORDER_UNKNOWN, "n9", 1, NULL},
    {"an_interactive_step_is_never_refused", CE_STEP_INTERACTIVE, CE_ORDER_NODEID, "n9", 0, NULL},
};

static void check(void **state)
{
    const struct check_row *row = *state;
    struct ce_allocation allocation = {.id = {.kind = row->kind},
                                       .nodes = ce_hostlist_parse("n[1-3]", NULL),
                                       .order = row->order};
    struct ce_task task = {.node_rank = row->node_rank};
    struct ce_error err = {""};
    strcpy(task.node_name, row->node_name);
    int rc = ce_cluster_check(&allocation, &task, &err);
    ce_allocation_free(&allocation);
    assert_int_equal(rc, row->refusal ? -1 : 0);
    if (row->refusal) {
        unit_holds(err.text, row->refusal);
        unit_holds(err.text, "--cluster-env=off");
    }
}

/* ---------------------------------------------------------------- rails */

static const struct rails_row {
    const char *name;
    enum ce_rdma rdma;
    struct ce_rails rails;
    struct ce_agreement agreement;
    const char *refusal; /* NULL: none */
} rails_rows[] = {
    {"rails_that_are_down_may_run", CE_RDMA_AUTO, {.verdict = CE_RAILS_ALL, .count = 8}, {0}, NULL},
    {"no_rails_may_run", CE_RDMA_AUTO, {.verdict = CE_RAILS_NONE}, {0}, NULL},
    {"one_rail_is_what_was_required", CE_RDMA_REQUIRE,
     {.verdict = CE_RAILS_CHOSEN, .count = 8, .active = 1}, {0}, NULL},
    {"a_providers_devices_are_what_was_required", CE_RDMA_REQUIRE,
     {.verdict = CE_RAILS_PROVIDER, .active = 32}, {0}, NULL},
    {"what_nccl_may_use_is_what_was_required", CE_RDMA_REQUIRE,
     {.verdict = CE_RAILS_UNSURE, .active = 4}, {0}, NULL},
    {"required_rails_that_are_all_down_are_refused", CE_RDMA_REQUIRE,
     {.verdict = CE_RAILS_CHOSEN, .count = 8, .reason = "8 of 9 RDMA ports are rails"}, {0},
     "rdma=require, but this node has no usable rail: 8 of 9 RDMA ports are rails, none of them up"},
    {"required_rails_that_are_not_there_are_refused", CE_RDMA_REQUIRE,
     {.verdict = CE_RAILS_NONE, .reason = "no RDMA device"}, {0},
     "this node has no usable rail: no RDMA device;"},
    {"required_rails_that_are_not_known_are_refused", CE_RDMA_REQUIRE,
     {.verdict = CE_RAILS_UNSURE, .reason = "no facts of this node"}, {0},
     "this node has no usable rail: no facts of this node;"},
    {"required_rails_that_nodes_have_not_in_common_are_refused", CE_RDMA_REQUIRE,
     {.verdict = CE_RAILS_ALL, .count = 8, .active = 8},
     {.limit = 8, .no_rdma = true, .all = {"the nodes differ"}},
     "rdma=require, but the nodes differ"},
    {"nodes_without_common_rails_may_run", CE_RDMA_AUTO,
     {.verdict = CE_RAILS_ALL, .count = 8, .active = 8},
     {.limit = 8, .no_rdma = true, .all = {"the nodes differ"}}, NULL},
    {"nodes_that_differ_are_refused_where_the_site_says_so", CE_RDMA_AUTO,
     {.verdict = CE_RAILS_ALL, .count = 8, .active = 8},
     {.refused = true, .all = {"the nodes differ"}}, "the nodes differ"},
    {"a_node_that_is_not_as_expected_says_so_first", CE_RDMA_AUTO, {.verdict = CE_RAILS_NONE},
     {.refused = true, .own = {"this node has none"}, .all = {"the nodes differ"}},
     "this node has none"},
    {"without_rdma_nodes_may_differ", CE_RDMA_OFF, {.verdict = CE_RAILS_NONE},
     {.refused = true, .own = {"this node has none"}, .all = {"the nodes differ"}}, NULL},
};

static void check_rails(void **state)
{
    const struct rails_row *row = *state;
    const struct ce_request request = {.on = true, .rdma = row->rdma};
    const struct ce_cluster checked = {.rails = row->rails, .agreement = row->agreement};
    struct ce_error err = {""};
    assert_int_equal(ce_cluster_check_rails(&checked, &request, 0, &err), row->refusal ? -1 : 0);
    if (row->refusal)
        unit_holds(err.text, row->refusal);
    else
        assert_string_equal(err.text, "");
}

static void what_all_nodes_know_only_the_first_refuses(void **state)
{
    const struct ce_request request = {.on = true, .rdma = CE_RDMA_REQUIRE};
    struct ce_cluster checked = {
        .rails = {.verdict = CE_RAILS_ALL, .count = 8, .active = 8},
        .agreement = {.refused = true, .no_rdma = true, .all = {"the nodes differ"}},
    };
    (void)state;
    assert_int_equal(ce_cluster_check_rails(&checked, &request, 0, NULL), -1);
    assert_int_equal(ce_cluster_check_rails(&checked, &request, 1, NULL), 0);
    checked.rails.active = 0;
    assert_int_equal(ce_cluster_check_rails(&checked, &request, 1, NULL), -1);
    checked.rails.active = 8;
    strcpy(checked.agreement.own.text, "this node has none");
    assert_int_equal(ce_cluster_check_rails(&checked, &request, 1, NULL), -1);
}

static void rules_that_are_damaged_are_noted_and_the_step_runs(void **state)
{
    static const struct ce_rails_expected eight = {8, CE_LINK_INFINIBAND, 400};
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    struct ce_allocation allocation = {.nodes = ce_hostlist_parse("n[1-2]", NULL)};
    struct ce_notes notes = {.count = 0};
    struct ce_policy policy;
    struct ce_cluster damaged;
    (void)state;
    ce_policy_default(&policy);
    assert_int_equal(ce_rules_add_group(rules, "n[1-", &eight, CE_RAILS_COUNT, NULL), 0);
    assert_int_equal(
        ce_cluster_init(&damaged, &allocation, NULL, &policy, rules, NULL, &notes, NULL), 0);
    assert_int_equal(notes.count, 1);
    unit_holds(notes.line[0].text, "node.policy: rails.group.0.names");
    assert_false(damaged.agreement.refused);
    ce_cluster_free(&damaged);
    ce_allocation_free(&allocation);
}

int main(void)
{
    UNIT_TABLE(clusters, cluster);
    UNIT_RULE(as_many_nodes_as_a_list_holds_are_a_cluster);
    UNIT_RULE(a_cluster_may_be_freed_twice);
    UNIT_TABLE(checks, check);
    UNIT_TABLE(rails_rows, check_rails);
    UNIT_RULE(what_all_nodes_know_only_the_first_refuses);
    UNIT_RULE(rules_that_are_damaged_are_noted_and_the_step_runs);
    return UNIT_RUN("launch/cluster");
}
