/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/nodes.h"

#include "../unit_env.h"
#include "../unit_dir.h"
#include "base/text.h"

enum { ENTRIES = 12 };
#define TASKS CE_STEP_TASKS
#define BATCH CE_STEP_BATCH
#define INTERACTIVE CE_STEP_INTERACTIVE

#define NODEID CE_ORDER_NODEID
#define COMPONENTS CE_ORDER_COMPONENTS
#define LAYOUT CE_ORDER_LAYOUT
#define UNKNOWN CE_ORDER_UNKNOWN
#define JOB CE_ORDER_JOB

/* srun -w n3 : -w n1 and more, as srun of 22.05 and newer ones name their variables. */
#define PACK                                                                                       \
    "SLURM_JOB_ID=12", "SLURM_HET_SIZE=2", "SLURM_JOB_ID_PACK_GROUP_0=12",                          \
        "SLURM_JOB_NODELIST_PACK_GROUP_0=n3", "SLURM_JOB_NODELIST_PACK_GROUP_1=n[1-2]"
#define HET                                                                                        \
    "SLURM_JOB_ID=12", "SLURM_HET_SIZE=3", "SLURM_JOB_ID_HET_GROUP_0=12",                           \
        "SLURM_JOB_NODELIST_HET_GROUP_0=n9", "SLURM_JOB_NODELIST_HET_GROUP_1=n[4-5]",               \
        "SLURM_JOB_NODELIST_HET_GROUP_2=n1"
#define DAEMON "SLURM_STEP_NODELIST=n[2-3]", "SLURM_JOB_NODELIST=n[2-3]"
#define ARBITRARY "SLURM_DISTRIBUTION=arbitrary", "SLURM_STEP_NODELIST=n[1-3]"

static const struct nodes_row {
    const char *name;
    enum ce_step_kind kind;
    const char *env[ENTRIES];
    const char *nodes; /* separated by spaces; NULL: an error */
    enum ce_node_order order;
} rows[] = {
    /* ordinary steps and jobs */
    {"a_step_has_its_own_list", TASKS, {"SLURM_STEP_NODELIST=n[2-3]", "SLURM_JOB_NODELIST=n[1-9]"},
     "n2 n3", NODEID},
    {"a_batch_script_has_the_jobs", BATCH,
     {"SLURM_STEP_NODELIST=n[2-3]", "SLURM_JOB_NODELIST=n[7-9]"}, "n7 n8 n9", NODEID},
    {"an_interactive_shell_has_the_jobs", INTERACTIVE, {"SLURM_JOB_NODELIST=n[7-9]"}, "n7 n8 n9",
     NODEID},
    {"the_old_name_of_the_jobs_list_counts", BATCH, {"SLURM_NODELIST=n[7-9]"}, "n7 n8 n9", NODEID},
    {"the_new_name_comes_first", BATCH, {"SLURM_NODELIST=n1", "SLURM_JOB_NODELIST=n2"}, "n2",
     NODEID},
    /* an MPI launcher's daemons */
    {"daemons_have_the_list_that_their_script_was_told", BATCH,
     {DAEMON, "CLUSTER_ENV_STEP=12.batch", "CLUSTER_NODES=n1,n2,n3"}, "n1 n2 n3", NODEID},
    {"or_their_salloc_shell", BATCH,
     {DAEMON, "CLUSTER_ENV_STEP=12.interactive", "CLUSTER_NODES=n1,n2,n3"}, "n1 n2 n3", NODEID},
    {"daemons_whose_script_was_told_nothing_have_slurms_list", BATCH, {DAEMON}, "n2 n3", NODEID},
    {"what_a_script_of_another_job_was_told_does_not_count", BATCH,
     {DAEMON, "CLUSTER_ENV_STEP=11.batch", "CLUSTER_NODES=n1,n2,n3"}, "n2 n3", NODEID},
    {"what_an_outer_step_was_told_does_not_count", BATCH,
     {DAEMON, "CLUSTER_ENV_STEP=12.0", "CLUSTER_NODES=n1,n2,n3"}, "n2 n3", NODEID},
    {"what_was_told_of_other_nodes_does_not_count", BATCH,
     {DAEMON, "CLUSTER_ENV_STEP=12.batch", "CLUSTER_NODES=n1,n2,n4"}, "n2 n3", NODEID},
    {"what_was_told_and_is_no_list_does_not_count", BATCH,
     {DAEMON, "CLUSTER_ENV_STEP=12.batch", "CLUSTER_NODES=n[1-"}, "n2 n3", NODEID},
    {"where_slurm_tells_the_jobs_list_it_counts", BATCH,
     {"SLURM_STEP_NODELIST=n[2-3]", "SLURM_JOB_NODELIST=n[2-4]", "CLUSTER_ENV_STEP=12.batch",
      "CLUSTER_NODES=n1,n2,n3,n4"}, "n2 n3 n4", NODEID},
    {"a_batch_script_is_not_asked_what_it_was_told", BATCH,
     {"SLURM_JOB_NODELIST=n[2-3]", "CLUSTER_ENV_STEP=12.batch", "CLUSTER_NODES=n1,n2,n3"}, "n2 n3",
     NODEID},
    /* no list */
    {"a_step_without_a_list_is_an_error", TASKS, {"SLURM_JOB_NODELIST=n1"}, NULL, NODEID},
    {"a_job_without_a_list_is_an_error", BATCH, {"SLURM_STEP_NODELIST=n1"}, NULL, NODEID},
    {"a_list_that_is_none_is_an_error", TASKS, {"SLURM_STEP_NODELIST=n[1-"}, NULL, NODEID},
    {"another_distribution_changes_nothing", TASKS,
     {"SLURM_DISTRIBUTION=cyclic", "SLURM_STEP_NODELIST=n[1-3]"}, "n1 n2 n3", NODEID},
    /* heterogeneous ones */
    {"a_het_steps_components_follow_each_other", TASKS, {PACK, "SLURM_STEP_NODELIST=n[1-3]"},
     "n3 n1 n2", COMPONENTS},
    {"newer_names_of_components_count", TASKS, {HET, "SLURM_STEP_NODELIST=n[1,4-5,9]"},
     "n9 n4 n5 n1", COMPONENTS},
    {"a_step_of_some_components_has_those", TASKS, {HET, "SLURM_STEP_NODELIST=n[1,9]"}, "n9 n1",
     COMPONENTS},
    {"a_step_of_one_component_has_that", TASKS, {HET, "SLURM_STEP_NODELIST=n[4-5]"}, "n4 n5",
     COMPONENTS},
    {"a_step_of_a_part_of_a_component_has_that_part", TASKS, {HET, "SLURM_STEP_NODELIST=n4"},
     "n4", COMPONENTS},
    {"a_step_of_parts_of_components_has_those", TASKS, {HET, "SLURM_STEP_NODELIST=n[4,9]"},
     "n9 n4", COMPONENTS},
    {"a_step_that_its_components_do_not_explain_has_its_own_list", TASKS,
     {HET, "SLURM_STEP_NODELIST=n[7,9]"}, "n7 n9", NODEID},
    {"a_batch_script_of_a_het_job_has_all_components", BATCH, {HET, "SLURM_JOB_NODELIST=n9"},
     "n9 n4 n5 n1", COMPONENTS},
    {"a_job_inside_a_het_job_has_its_own_list", BATCH,
     {"SLURM_JOB_ID=99", "SLURM_JOB_NODELIST=n[7-8]", "SLURM_HET_SIZE=2",
      "SLURM_JOB_ID_HET_GROUP_0=12", "SLURM_JOB_NODELIST_HET_GROUP_0=n3",
      "SLURM_JOB_NODELIST_HET_GROUP_1=n1"}, "n7 n8", NODEID},
    {"a_step_of_a_job_inside_a_het_job_has_its_own_list", TASKS,
     {"SLURM_JOB_ID=99", "SLURM_STEP_NODELIST=n[1,3]", "SLURM_HET_SIZE=2",
      "SLURM_JOB_ID_HET_GROUP_0=12", "SLURM_JOB_NODELIST_HET_GROUP_0=n3",
      "SLURM_JOB_NODELIST_HET_GROUP_1=n1"}, "n1 n3", NODEID},
    {"a_node_that_the_step_has_twice_is_not_explained", TASKS,
     {PACK, "SLURM_STEP_NODELIST=n1,n1,n3"}, "n1 n1 n3", NODEID},
    {"a_number_of_components_that_is_none_is_passed_over", TASKS,
     {"SLURM_JOB_ID=12", "SLURM_HET_SIZE=two", "SLURM_JOB_ID_HET_GROUP_0=12",
      "SLURM_JOB_NODELIST_HET_GROUP_0=n3", "SLURM_JOB_NODELIST_HET_GROUP_1=n1",
      "SLURM_STEP_NODELIST=n[1,3]"}, "n1 n3", NODEID},
    {"more_components_than_any_job_has_are_passed_over", TASKS,
     {"SLURM_JOB_ID=12", "SLURM_HET_SIZE=4294967295", "SLURM_JOB_ID_HET_GROUP_0=12",
      "SLURM_JOB_NODELIST_HET_GROUP_0=n3", "SLURM_STEP_NODELIST=n[1-3]"}, "n1 n2 n3", NODEID},
    {"a_component_without_a_list_is_passed_over", TASKS,
     {"SLURM_JOB_ID=12", "SLURM_HET_SIZE=2", "SLURM_JOB_ID_HET_GROUP_0=12",
      "SLURM_JOB_NODELIST_HET_GROUP_0=n3", "SLURM_STEP_NODELIST=n[1,3]"}, "n1 n3", NODEID},
    {"a_component_with_a_list_that_is_none_is_passed_over", TASKS,
     {"SLURM_JOB_ID=12", "SLURM_HET_SIZE=2", "SLURM_JOB_ID_HET_GROUP_0=12",
      "SLURM_JOB_NODELIST_HET_GROUP_0=n3", "SLURM_JOB_NODELIST_HET_GROUP_1=n[",
      "SLURM_STEP_NODELIST=n[1,3]"}, "n1 n3", NODEID},
    /* -m arbitrary */
    {"an_arbitrary_step_has_the_order_that_was_asked_for", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2:0,1,1"}, "n3 n1 n2", LAYOUT},
    {"an_arbitrary_order_may_have_more_behind_it", TASKS,
     {"SLURM_DISTRIBUTION=arbitrary:block", "SLURM_STEP_NODELIST=n[1-2]",
      "SLURM_CLUSTER_ENV_NODES=12.0:n2,n1:0,2"}, "n2 n1", LAYOUT},
    {"an_arbitrary_order_that_did_not_arrive_is_not_known", TASKS, {ARBITRARY}, "n1 n2 n3",
     UNKNOWN},
    {"one_node_has_an_order", TASKS, {"SLURM_DISTRIBUTION=arbitrary", "SLURM_STEP_NODELIST=n2"}, "n2",
     NODEID},
    {"the_order_of_another_step_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.1:n3,n1,n2:0,1(x2)"}, "n1 n2 n3", UNKNOWN},
    {"the_order_of_another_job_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=13.0:n3,n1,n2:0,1(x2)"}, "n1 n2 n3", UNKNOWN},
    {"the_order_of_a_step_that_starts_the_same_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.01:n3,n1,n2:0,1(x2)"}, "n1 n2 n3", UNKNOWN},
    {"an_order_of_other_nodes_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n4:0,1(x2)"}, "n1 n2 n3", UNKNOWN},
    {"an_order_of_fewer_nodes_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1:0,1"}, "n1 n2 n3", UNKNOWN},
    {"an_order_of_more_nodes_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2,n2:0,1(x3)"}, "n1 n2 n3", UNKNOWN},
    {"an_order_that_is_no_list_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2[:0,1(x2)"}, "n1 n2 n3", UNKNOWN},
    {"an_empty_order_is_not_known", TASKS, {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:"},
     "n1 n2 n3", UNKNOWN},
    {"an_order_without_ranks_is_not_known", TASKS, {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2"},
     "n1 n2 n3", UNKNOWN},
    {"ranks_that_do_not_begin_with_0_are_no_order", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2:1(x3)"}, "n1 n2 n3", UNKNOWN},
    {"ranks_that_do_not_rise_are_no_order", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2:0,1,0"}, "n1 n2 n3", UNKNOWN},
    {"ranks_of_fewer_nodes_are_no_order", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2:0,1"}, "n1 n2 n3", UNKNOWN},
    {"ranks_of_more_nodes_are_no_order", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2:0,1(x3)"}, "n1 n2 n3", UNKNOWN},
    {"ranks_past_all_numbers_are_no_order", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2:0,4294967295(x2)"}, "n1 n2 n3", UNKNOWN},
    {"ranks_that_are_no_numbers_are_no_order", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2:0,1(x2"}, "n1 n2 n3", UNKNOWN},
    /* a topology plugin */
    {"an_order_that_was_asked_for_counts_with_any_distribution", TASKS,
     {"SLURM_DISTRIBUTION=block", "SLURM_STEP_NODELIST=n[1-3]",
      "SLURM_CLUSTER_ENV_NODES=12.0:n[3,1,2]:0,4(x2)"}, "n3 n1 n2", LAYOUT},
    {"the_layout_of_one_component_of_a_het_step_does_not_count", TASKS,
     {PACK, "SLURM_STEP_NODELIST=n[1-3]", "SLURM_CLUSTER_ENV_NODES=12.0:n[2,1]:0,1"}, "n3 n1 n2",
     COMPONENTS},
    {"the_layout_of_an_outer_step_does_not_count", TASKS,
     {"SLURM_STEP_NODELIST=n[1-3]", "SLURM_CLUSTER_ENV_NODES=12.1:n[3,1,2]:0,4(x2)"}, "n1 n2 n3",
     NODEID},
    {"a_batch_script_may_have_steps_of_other_orders", BATCH,
     {"SLURM_JOB_NODELIST=n[1-3]", "SLURM_CLUSTER_ENV_NODES=12.batch:n[1-3]"}, "n1 n2 n3", JOB},
    {"a_batch_script_of_one_node_has_its_list", BATCH,
     {"SLURM_JOB_NODELIST=n1", "SLURM_CLUSTER_ENV_NODES=12.batch:n1"}, "n1", NODEID},
    {"the_nodes_of_another_jobs_script_do_not_count", BATCH,
     {"SLURM_JOB_NODELIST=n[1-3]", "SLURM_CLUSTER_ENV_NODES=11.batch:n[1-3]"}, "n1 n2 n3", NODEID},
    {"a_step_of_one_component_has_the_layout_that_srun_asked_for_by_its_job", TASKS,
     {HET, "SLURM_JOB_ID_HET_GROUP_1=13", "SLURM_STEP_NODELIST=n[4-5]",
      "SLURM_CLUSTER_ENV_NODES=13.0:n[5,4]:0,1"}, "n5 n4", LAYOUT},
    {"a_script_whose_nodes_are_too_long_for_a_variable_may_have_them", BATCH,
     {"SLURM_JOB_NODELIST=n[1-3]", "SLURM_CLUSTER_ENV_NODES=12.batch:"}, "n1 n2 n3", JOB},
    {"daemons_have_the_nodes_of_a_shell_without_order", BATCH,
     {"SLURM_STEP_NODELIST=n[2-3]", "SLURM_JOB_NODELIST=n[1-3]", "CLUSTER_ENV_STEP=12.interactive",
      "SLURM_CLUSTER_ENV_NODES=12.interactive:n[1-3]"}, "n1 n2 n3", JOB},
    {"daemons_have_the_nodes_of_a_script_without_order", BATCH,
     {DAEMON, "CLUSTER_ENV_STEP=12.batch", "SLURM_CLUSTER_ENV_NODES=12.batch:n[1-3]"}, "n1 n2 n3",
     JOB},
    {"a_batch_script_has_no_steps_order", BATCH,
     {"SLURM_DISTRIBUTION=arbitrary", "SLURM_JOB_NODELIST=n[1-3]",
      "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2:0,1(x2)"}, "n1 n2 n3", NODEID},
};

static char *join(const struct ce_hostlist *list)
{
    ce_autotext struct ce_text joined = CE_TEXT(1 << 20);
    for (size_t i = 0; i < ce_hostlist_count(list); i++)
        ce_text_addf(&joined, "%s%s", i ? " " : "", ce_hostlist_name(list, i));
    char *text = ce_text_take(&joined);
    assert_non_null(text);
    return text;
}

static void nodes(void **state)
{
    const struct nodes_row *row = *state;
    struct ce_allocation allocation = {.id = {row->kind, 12, 0}};
    struct unit_env array = {.count = 0};
    struct ce_error err = {""};
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    int rc = ce_slurm_nodes(&env, &allocation, &err);
    unit_env_free(&array);
    assert_int_equal(rc, row->nodes ? 0 : -1);
    if (rc < 0) {
        assert_true(err.text[0]);
        return;
    }
    char *joined = join(allocation.nodes);
    assert_string_equal(joined, row->nodes);
    assert_int_equal(allocation.order, row->order);
    assert_int_equal(allocation.first != NULL, row->order == LAYOUT);
    ce_allocation_free(&allocation);
    free(joined);
}

#define OFF CE_SLURM_NO_DIST_TOPO_BLOCK

static const struct topology_row {
    const char *name;
    uint32_t version;
    const char *plugin;
    uint32_t params;
    bool has_yaml, orders;
} topologies[] = {
    {"older_slurm_goes_by_its_list", 0x190b07, "topology/tree", 0, false, false},
    {"tree_orders_since_26_05", 0x1a0500, "topology/tree", 0, false, true},
    {"block_orders_since_26_05", 0x1a0505, "topology/block", 4, false, true},
    {"an_unknown_topology_plugin_may_order", 0x1a0500, "topology/dragonfly", 0, false, true},
    {"ring_orders_since_26_05", 0x1a0500, "topology/ring", 0, false, true},
    {"flat_does_not_order", 0x1a0500, "topology/flat", 0, false, false},
    {"no_topology_plugin_does_not_order", 0x1a0500, NULL, 0, false, false},
    {"a_topology_yaml_may_order_whatever_slurm_conf_names", 0x1a0500, "topology/flat", 0, true, true},
    {"an_admin_can_switch_it_off", 0x1a0500, "topology/tree", OFF | 4, true, false},
    {"the_next_slurm_is_assumed_to_order_too", 0x1b0500, "topology/tree", 0, false, true},
};

static void topology(void **state)
{
    const struct topology_row *row = *state;
    struct unit_dir dir = unit_dir_make();
    if (row->has_yaml)
        unit_dir_write(&dir, "topology.yaml", "---\n");
    char conf[sizeof dir.path + 32];
    snprintf(conf, sizeof conf, "%s/slurm.conf", dir.path);
    assert_int_equal(
        ce_slurm_orders_by_topology(row->version, conf, row->plugin, row->params), row->orders);
    assert_int_equal(ce_slurm_orders_by_topology(row->version, NULL, row->plugin, row->params),
                     row->orders && !row->has_yaml);
    unit_dir_remove(&dir);
}

int main(void)
{
    UNIT_TABLE(rows, nodes);
    UNIT_TABLE(topologies, topology);
    return UNIT_RUN("slurm/nodes");
}
