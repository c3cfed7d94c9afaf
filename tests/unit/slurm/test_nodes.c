/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/nodes.h"

#include "../unit_env.h"

enum { ENTRIES = 12 };
#define TASKS CE_STEP_TASKS
#define BATCH CE_STEP_BATCH
#define INTERACTIVE CE_STEP_INTERACTIVE

#define NODEID CE_ORDER_NODEID
#define COMPONENTS CE_ORDER_COMPONENTS
#define LAYOUT CE_ORDER_LAYOUT
#define UNKNOWN CE_ORDER_UNKNOWN

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
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2"}, "n3 n1 n2", LAYOUT},
    {"an_arbitrary_order_may_have_more_behind_it", TASKS,
     {"SLURM_DISTRIBUTION=arbitrary:block", "SLURM_STEP_NODELIST=n[1-2]",
      "SLURM_CLUSTER_ENV_NODES=12.0:n2,n1"}, "n2 n1", LAYOUT},
    {"an_arbitrary_order_that_did_not_arrive_is_not_known", TASKS, {ARBITRARY}, "n1 n2 n3",
     UNKNOWN},
    {"the_order_of_another_step_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.1:n3,n1,n2"}, "n1 n2 n3", UNKNOWN},
    {"the_order_of_another_job_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=13.0:n3,n1,n2"}, "n1 n2 n3", UNKNOWN},
    {"the_order_of_a_step_that_starts_the_same_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.01:n3,n1,n2"}, "n1 n2 n3", UNKNOWN},
    {"an_order_of_other_nodes_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n4"}, "n1 n2 n3", UNKNOWN},
    {"an_order_of_fewer_nodes_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1"}, "n1 n2 n3", UNKNOWN},
    {"an_order_of_more_nodes_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2,n2"}, "n1 n2 n3", UNKNOWN},
    {"an_order_that_is_no_list_is_not_known", TASKS,
     {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2["}, "n1 n2 n3", UNKNOWN},
    {"an_empty_order_is_not_known", TASKS, {ARBITRARY, "SLURM_CLUSTER_ENV_NODES=12.0:"},
     "n1 n2 n3", UNKNOWN},
    {"the_order_of_an_outer_arbitrary_step_does_not_count", TASKS,
     {"SLURM_DISTRIBUTION=block", "SLURM_STEP_NODELIST=n[1-3]",
      "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2"}, "n1 n2 n3", NODEID},
    {"a_batch_script_has_no_arbitrary_order", BATCH,
     {"SLURM_DISTRIBUTION=arbitrary", "SLURM_JOB_NODELIST=n[1-3]",
      "SLURM_CLUSTER_ENV_NODES=12.0:n3,n1,n2"}, "n1 n2 n3", NODEID},
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
    const struct ce_step_id id = {row->kind, 12, 0};
    struct unit_env array = {.count = 0};
    struct ce_error err = {""};
    enum ce_node_order order;
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_slurm_nodes(&env, &id, &order, &err);
    unit_env_free(&array);
    assert_int_equal(list != NULL, row->nodes != NULL);
    if (!list) {
        assert_true(err.text[0]);
        return;
    }
    char *joined = join(list);
    assert_string_equal(joined, row->nodes);
    assert_int_equal(order, row->order);
    free(joined);
}

static void a_layout_is_written_by_lowest_rank_and_read_again(void **state)
{
    static const uint32_t first_rank[] = {7, 0, 3};
    static const char *const step[] = {"SLURM_DISTRIBUTION=arbitrary", "SLURM_STEP_NODELIST=n[1-3]",
                                       NULL};
    const struct ce_step_id id = {TASKS, 12, 0};
    ce_autotext struct ce_text layout = CE_TEXT(1000);
    struct unit_env array = {.count = 0};
    enum ce_node_order order;
    (void)state;
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse("n[1-3]", NULL);
    ce_slurm_write_layout(&id, list, first_rank, &layout);
    assert_string_equal(ce_text_string(&layout), "12.0:n2,n3,n1");
    unit_env_fill(&array, step);
    unit_env_set(&array, CE_LAYOUT_VARIABLE, ce_text_string(&layout));
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *again =
        ce_slurm_nodes(&env, &id, &order, NULL);
    assert_non_null(again);
    assert_int_equal(order, LAYOUT);
    assert_string_equal(ce_hostlist_name(again, 0), "n2");
    unit_env_free(&array);
}

int main(void)
{
    UNIT_TABLE(rows, nodes);
    UNIT_RULE(a_layout_is_written_by_lowest_rank_and_read_again);
    return UNIT_RUN("slurm/nodes");
}
