/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/environment.h"

#include "../unit_env.h"

enum { ENTRIES = 12 };
#define TASKS CE_STEP_TASKS
#define BATCH CE_STEP_BATCH
#define INTERACTIVE CE_STEP_INTERACTIVE

static const struct identify_row {
    const char *name, *env[ENTRIES];
    struct ce_step_id id; /* job 0: an error */
} identities[] = {
    {"an_srun_step_knows_its_number",
     {"SLURM_JOB_ID=12", "SLURM_STEP_ID=3", "SLURM_PROCID=0", "SLURM_STEP_NODELIST=n1"},
     {TASKS, 12, 3}},
    {"the_old_names_tell_as_well",
     {"SLURM_JOBID=12", "SLURM_STEPID=3", "SLURM_PROCID=0", "SLURM_STEP_NODELIST=n1"},
     {TASKS, 12, 3}},
    {"a_batch_script_has_a_rank_and_no_step", {"SLURM_JOB_ID=12", "SLURM_PROCID=0"},
     {BATCH, 12, 0}},
    {"a_salloc_shell_has_neither", {"SLURM_JOB_ID=12"}, {INTERACTIVE, 12, 0}},
    {"an_interactive_step_looks_like_a_batch_script_unless_told",
     {"SLURM_JOB_ID=12", "SLURM_PROCID=0", "CLUSTER_ENV_STEP=12.interactive"},
     {INTERACTIVE, 12, 0}},
    {"what_the_plugin_left_counts", {"SLURM_JOB_ID=12", "SLURM_PROCID=0",
     "CLUSTER_ENV_STEP=12.batch"}, {BATCH, 12, 0}},
    {"what_the_plugin_left_in_another_job_does_not_count",
     {"SLURM_JOB_ID=13", "SLURM_PROCID=0", "CLUSTER_ENV_STEP=12.interactive"}, {BATCH, 13, 0}},
    {"a_step_of_the_batch_script_is_not_the_batch_script",
     {"SLURM_JOB_ID=12", "SLURM_STEP_ID=0", "SLURM_PROCID=5", "SLURM_STEP_NODELIST=n1",
      "CLUSTER_ENV_STEP=12.batch"}, {TASKS, 12, 0}},
    {"a_step_of_a_salloc_shell_is_not_the_shell",
     {"SLURM_JOB_ID=12", "SLURM_STEP_ID=7", "SLURM_PROCID=5", "SLURM_STEP_NODELIST=n1",
      "CLUSTER_ENV_STEP=12.interactive"}, {TASKS, 12, 7}},
    {"an_inner_step_is_not_the_outer_one",
     {"SLURM_JOB_ID=12", "SLURM_STEP_ID=1", "SLURM_PROCID=0", "SLURM_STEP_NODELIST=n1",
      "CLUSTER_ENV_STEP=12.0"}, {TASKS, 12, 1}},
    {"what_the_plugin_left_in_this_step_counts",
     {"SLURM_JOB_ID=12", "SLURM_STEP_ID=1", "CLUSTER_ENV_STEP=12.1"}, {TASKS, 12, 1}},
    {"what_is_no_step_does_not_count",
     {"SLURM_JOB_ID=12", "SLURM_PROCID=0", "CLUSTER_ENV_STEP=12"}, {BATCH, 12, 0}},
    {"a_step_number_that_is_none_does_not_count",
     {"SLURM_JOB_ID=12", "SLURM_PROCID=0", "SLURM_STEP_ID=x", "SLURM_STEP_NODELIST=n1"},
     {BATCH, 12, 0}},
    {"a_batch_script_may_be_told_a_step_number",
     {"SLURM_JOB_ID=12", "SLURM_PROCID=0", "SLURM_STEP_ID=4294967291", "SLURM_STEP_NODELIST=n1"},
     {BATCH, 12, 0}},
    {"a_batch_script_may_be_told_a_negative_step_number",
     {"SLURM_JOB_ID=12", "SLURM_PROCID=0", "SLURM_STEP_ID=-5", "SLURM_STEP_NODELIST=n1"},
     {BATCH, 12, 0}},
    {"an_interactive_step_may_be_told_a_step_number",
     {"SLURM_JOB_ID=12", "SLURM_PROCID=0", "SLURM_STEP_ID=4294967290", "SLURM_STEP_NODELIST=n1",
      "CLUSTER_ENV_STEP=12.interactive"}, {INTERACTIVE, 12, 0}},
    {"the_greatest_step_number_is_a_steps",
     {"SLURM_JOB_ID=12", "SLURM_PROCID=0", "SLURM_STEP_ID=4294967280", "SLURM_STEP_NODELIST=n1"},
     {TASKS, 12, 4294967280u}},
    {"outside_a_job_is_an_error", {"PATH=/bin"}, {0}},
    {"a_job_number_that_is_none_is_an_error", {"SLURM_JOB_ID=x"}, {0}},
    {"job_zero_is_an_error", {"SLURM_JOB_ID=0"}, {0}},
};

static void identifies(void **state)
{
    const struct identify_row *row = *state;
    struct unit_env array = {.count = 0};
    struct ce_step_id id = {.job_id = 4711};
    struct ce_error err = {""};
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    int rc = ce_slurm_identify(&env, &id, &err);
    unit_env_free(&array);
    assert_int_equal(rc, row->id.job_id ? 0 : -1);
    if (rc < 0) {
        unit_holds(err.text, "not inside a Slurm job");
        return;
    }
    assert_int_equal(id.job_id, row->id.job_id);
    assert_int_equal(id.kind, row->id.kind);
    assert_int_equal(id.step_id, row->id.step_id);
}

#define STEP "SLURM_STEP_NODELIST=n[1-2]", "SLURM_STEP_NUM_TASKS=16"

static const struct allocation_row {
    const char *name;
    enum ce_step_kind kind;
    const char *env[ENTRIES];
    const char *error; /* NULL: none */
    uint32_t nodes, tasks, port, job;
} allocations[] = {
    {"a_step_has_its_own_nodes_and_tasks", TASKS,
     {STEP, "SLURM_JOB_NODELIST=n[1-9]", "SLURM_NTASKS=72"}, NULL, 2, 16, 0, 12},
    {"a_batch_script_has_those_of_the_job", BATCH,
     {STEP, "SLURM_JOB_NODELIST=n[1-9]", "SLURM_NTASKS=72"}, NULL, 9, 72, 0, 12},
    {"an_interactive_step_has_those_of_the_job", INTERACTIVE,
     {STEP, "SLURM_JOB_NODELIST=n[1-9]", "SLURM_NTASKS=72"}, NULL, 9, 72, 0, 12},
    {"the_old_name_of_the_job_list_counts", BATCH, {"SLURM_NODELIST=n[1-9]"}, NULL, 9, 0, 0, 12},
    {"a_job_may_not_say_its_tasks", BATCH, {"SLURM_JOB_NODELIST=n1"}, NULL, 1, 0, 0, 12},
    {"tasks_of_a_job_that_are_no_number_are_not_known", BATCH,
     {"SLURM_JOB_NODELIST=n1", "SLURM_NTASKS=many"}, NULL, 1, 0, 0, 12},
    {"reserved_ports_start_with_the_first", TASKS, {STEP, "SLURM_STEP_RESV_PORTS=58000-58003"},
     NULL, 2, 16, 58000, 12},
    {"one_reserved_port_is_the_first", TASKS, {STEP, "SLURM_STEP_RESV_PORTS=58000"}, NULL, 2, 16,
     58000, 12},
    {"a_reserved_port_that_is_none_is_none", TASKS, {STEP, "SLURM_STEP_RESV_PORTS=70000-70001"},
     NULL, 2, 16, 0, 12},
    {"no_reserved_port_is_none", TASKS, {STEP, "SLURM_STEP_RESV_PORTS=(null)"}, NULL, 2, 16, 0,
     12},
    {"the_job_is_that_of_the_environment", TASKS, {STEP, "SLURM_JOB_ID=77"}, NULL, 2, 16, 0, 77},
    {"a_job_that_is_no_number_is_the_one_told", TASKS, {STEP, "SLURM_JOB_ID=x"}, NULL, 2, 16, 0,
     12},
    {"a_step_without_nodes_is_an_error", TASKS,
     {"SLURM_STEP_NUM_TASKS=16", "SLURM_JOB_NODELIST=n[1-9]"}, "SLURM_STEP_NODELIST is not set", 0,
     0, 0, 0},
    {"a_step_without_tasks_is_an_error", TASKS, {"SLURM_STEP_NODELIST=n1"},
     "SLURM_STEP_NUM_TASKS is not set", 0, 0, 0, 0},
    {"tasks_that_are_no_number_are_an_error", TASKS,
     {"SLURM_STEP_NODELIST=n1", "SLURM_STEP_NUM_TASKS=-1"}, "SLURM_STEP_NUM_TASKS=-1", 0, 0, 0,
     0},
    {"a_job_without_nodes_is_an_error", BATCH, {"SLURM_NTASKS=16"},
     "SLURM_JOB_NODELIST is not set", 0, 0, 0, 0},
    {"a_list_that_is_none_is_an_error", TASKS,
     {"SLURM_STEP_NODELIST=n[1-", "SLURM_STEP_NUM_TASKS=16"}, "host list: ", 0, 0, 0, 0},
    {"an_empty_list_is_an_error", BATCH, {"SLURM_JOB_NODELIST="}, "host list: ", 0, 0, 0, 0},
};

static void allocates(void **state)
{
    const struct allocation_row *row = *state;
    struct unit_env array = {.count = 0};
    struct ce_allocation allocation = {.nodes = NULL};
    struct ce_error err = {""};
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    const struct ce_step_id id = {row->kind, 12, 0};
    int rc = ce_slurm_allocation(&env, id, &allocation, &err);
    unit_env_free(&array);
    assert_int_equal(rc, row->error ? -1 : 0);
    if (row->error) {
        unit_holds(err.text, row->error);
        assert_null(allocation.nodes);
        return;
    }
    assert_int_equal(allocation.id.kind, row->kind);
    assert_int_equal(allocation.id.job_id, row->job);
    assert_int_equal(ce_allocation_node_count(&allocation), row->nodes);
    assert_int_equal(allocation.task_count, row->tasks);
    assert_int_equal(allocation.reserved_port, row->port);
    assert_int_equal(allocation.order, CE_ORDER_NODEID);
    ce_allocation_free(&allocation);
}

#define PLACE "SLURM_NODEID=1", "SLURM_PROCID=9", "SLURM_LOCALID=1"

/* Of a step of four nodes and 16 tasks; UNKNOWN_GPUS: the task is not told which it sees. */
enum { UNKNOWN_GPUS = 999 };
static const struct task_row {
    const char *name;
    enum ce_step_kind kind;
    const char *env[ENTRIES];
    const char *error;
    uint32_t node_rank, rank, local_rank, local_tasks, gpus, visible;
} tasks[] = {
    {"a_task_has_its_place", TASKS,
     {PLACE, "SLURMD_NODENAME=n2", "SLURM_GTIDS=8,9,10,11,12,13,14,15", "SLURM_GPUS_ON_NODE=8",
      "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7"},
     NULL, 1, 9, 1, 8, 8, 8},
    {"a_task_alone_on_its_node", TASKS, {PLACE, "SLURM_GTIDS=9"}, NULL, 1, 9, 1, 1, 0,
     UNKNOWN_GPUS},
    {"counts_per_node_tell_where_ranks_do_not", TASKS,
     {PLACE, "SLURM_STEP_TASKS_PER_NODE=4(x2),3,5"}, NULL, 1, 9, 1, 4, 0, UNKNOWN_GPUS},
    {"ranks_without_this_task_are_ignored", TASKS,
     {PLACE, "SLURM_GTIDS=3,8", "SLURM_STEP_TASKS_PER_NODE=4(x4)"}, NULL, 1, 9, 1, 4, 0,
     UNKNOWN_GPUS},
    {"ranks_that_are_not_a_list_are_ignored", TASKS,
     {PLACE, "SLURM_GTIDS=9,", "SLURM_STEP_TASKS_PER_NODE=4(x4)"}, NULL, 1, 9, 1, 4, 0,
     UNKNOWN_GPUS},
    {"ranks_tell_before_counts_per_node", TASKS,
     {PLACE, "SLURM_GTIDS=3,9", "SLURM_STEP_TASKS_PER_NODE=4(x4)"}, NULL, 1, 9, 1, 2, 0,
     UNKNOWN_GPUS},
    {"counts_of_the_job_do_not_count_in_a_step", TASKS, {PLACE, "SLURM_TASKS_PER_NODE=4(x4)"},
     NULL, 1, 9, 1, 1, 0, UNKNOWN_GPUS},
    {"counts_that_do_not_reach_this_node_tell_nothing", TASKS,
     {PLACE, "SLURM_STEP_TASKS_PER_NODE=4"}, NULL, 1, 9, 1, 1, 0, UNKNOWN_GPUS},
    {"counts_that_do_not_close_tell_nothing", TASKS, {PLACE, "SLURM_STEP_TASKS_PER_NODE=4(x2"},
     NULL, 1, 9, 1, 1, 0, UNKNOWN_GPUS},
    {"counts_that_are_none_tell_nothing", TASKS, {PLACE, "SLURM_STEP_TASKS_PER_NODE=4(y2)"}, NULL,
     1, 9, 1, 1, 0, UNKNOWN_GPUS},
    {"counts_past_all_numbers_tell_nothing", TASKS,
     {PLACE, "SLURM_STEP_TASKS_PER_NODE=4(x99999999999999999999)"}, NULL, 1, 9, 1, 1, 0,
     UNKNOWN_GPUS},
    {"counts_repeated_no_time_are_passed_over", TASKS,
     {PLACE, "SLURM_STEP_TASKS_PER_NODE=9(x0),7,4"}, NULL, 1, 9, 1, 4, 0, UNKNOWN_GPUS},
    {"no_visible_gpu_is_none", TASKS, {PLACE, "CUDA_VISIBLE_DEVICES="}, NULL, 1, 9, 1, 1, 0, 0},
    {"one_visible_gpu_is_one", TASKS, {PLACE, "CUDA_VISIBLE_DEVICES=3", "SLURM_GPUS_ON_NODE=8"},
     NULL, 1, 9, 1, 1, 8, 1},
    {"a_count_of_gpus_that_is_none_is_not_known", TASKS, {PLACE, "SLURM_GPUS_ON_NODE=gpu:8"}, NULL,
     1, 9, 1, 1, 0, UNKNOWN_GPUS},
    {"a_batch_script_has_no_rank", BATCH, {PLACE, "SLURMD_NODENAME=n2"}, NULL, 0, 0, 0, 1, 0,
     UNKNOWN_GPUS},
    {"a_batch_script_has_the_tasks_of_its_node", BATCH,
     {"SLURM_TASKS_PER_NODE=8(x4)", "SLURM_GTIDS=0", "SLURM_GPUS_ON_NODE=8"}, NULL, 0, 0, 0, 8, 8,
     UNKNOWN_GPUS},
    {"a_task_without_node_number_is_an_error", TASKS, {"SLURM_PROCID=9", "SLURM_LOCALID=1"},
     "SLURM_NODEID is not set", 0, 0, 0, 0, 0, 0},
    {"a_task_without_rank_is_an_error", TASKS, {"SLURM_NODEID=1", "SLURM_LOCALID=1"},
     "SLURM_PROCID is not set", 0, 0, 0, 0, 0, 0},
    {"a_task_without_local_rank_is_an_error", TASKS, {"SLURM_NODEID=1", "SLURM_PROCID=9"},
     "SLURM_LOCALID is not set", 0, 0, 0, 0, 0, 0},
    {"a_rank_that_is_no_number_is_an_error", TASKS,
     {"SLURM_NODEID=1", "SLURM_PROCID=nine", "SLURM_LOCALID=1"}, "SLURM_PROCID=nine", 0, 0, 0, 0, 0,
     0},
    {"a_node_number_past_the_list_is_an_error", TASKS,
     {"SLURM_NODEID=4", "SLURM_PROCID=9", "SLURM_LOCALID=1"},
     "SLURM_NODEID=4, but the step's list names only 4 nodes", 0, 0, 0, 0, 0, 0},
};

static void takes_place(void **state)
{
    const struct task_row *row = *state;
    struct unit_env array = {.count = 0};
    struct ce_allocation allocation = {.id = {row->kind, 12, 0},
                                       .nodes = ce_hostlist_parse("n[1-4]", NULL),
                                       .task_count = 16};
    struct ce_task task = {.rank = 4711};
    struct ce_error err = {""};
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    assert_int_equal(ce_slurm_count_tasks(&env, &allocation, &err), 0);
    int rc = ce_slurm_task(&env, &allocation, &task, &err);
    const char *name = ce_environ_get(&env, "SLURMD_NODENAME");
    ce_allocation_free(&allocation);
    assert_int_equal(rc, row->error ? -1 : 0);
    if (row->error) {
        unit_holds(err.text, row->error);
        assert_int_equal(task.rank, 4711);
    } else {
        assert_string_equal(task.node_name, name ? name : "");
        assert_int_equal(task.node_rank, row->node_rank);
        assert_int_equal(task.rank, row->rank);
        assert_int_equal(task.local_rank, row->local_rank);
        assert_int_equal(task.local_tasks, row->local_tasks);
        assert_int_equal(task.gpus_on_node, row->gpus);
        assert_int_equal(task.visible_gpus,
                         row->visible == UNKNOWN_GPUS ? UINT32_MAX : row->visible);
    }
    unit_env_free(&array);
}

/* With -m arbitrary, and the order that was asked for: SLURM_NODEID is another one's. */
static void a_task_of_an_arbitrary_step_finds_itself_by_name(void **state)
{
    static const char *const place[] = {PLACE, "SLURMD_NODENAME=n3", NULL};
    struct unit_env array = {.count = 0};
    struct ce_allocation allocation = {.id = {TASKS, 12, 0},
                                       .nodes = ce_hostlist_parse("n4,n3,n1", NULL),
                                       .task_count = 16,
                                       .order = CE_ORDER_LAYOUT};
    struct ce_task task;
    struct ce_error err = {""};
    (void)state;
    unit_env_fill(&array, place);
    const struct ce_environ env = unit_environ(&array);
    assert_int_equal(ce_slurm_count_tasks(&env, &allocation, &err), 0);
    assert_int_equal(ce_slurm_task(&env, &allocation, &task, &err), 0);
    assert_int_equal(task.node_rank, 1);
    assert_int_equal(task.rank, 9);
    unit_env_set(&array, "SLURMD_NODENAME", "n2");
    assert_int_equal(ce_slurm_task(&env, &allocation, &task, &err), -1);
    unit_holds(err.text, "this node, n2, is not among the nodes of the step");
    ce_allocation_free(&allocation);
    unit_env_free(&array);
}

/* Tasks on the nodes of a list, in its order. */
static const struct counts_row {
    const char *name;
    enum ce_step_kind kind;
    enum ce_node_order order;
    const char *nodes, *env[ENTRIES], *counts;
} counts[] = {
    {"a_step_counts_by_its_list", TASKS, CE_ORDER_NODEID, "n[1-4]",
     {"SLURM_STEP_TASKS_PER_NODE=4(x2),3", "SLURM_TASKS_PER_NODE=9"}, "4 4 3 1"},
    {"a_job_counts_by_its_list", BATCH, CE_ORDER_NODEID, "n[1-4]",
     {"SLURM_STEP_TASKS_PER_NODE=9", "SLURM_TASKS_PER_NODE=8,7(x2)"}, "8 7 7 1"},
    {"counts_past_the_list_are_passed_over", TASKS, CE_ORDER_NODEID, "n[1-2]",
     {"SLURM_STEP_TASKS_PER_NODE=4(x4294967295),3"}, "4 4"},
    {"counts_that_are_none_end_the_counts", TASKS, CE_ORDER_NODEID, "n[1-3]",
     {"SLURM_STEP_TASKS_PER_NODE=4,3(x2,5"}, "4 1 1"},
    {"no_tasks_are_one", TASKS, CE_ORDER_NODEID, "n[1-3]", {"SLURM_STEP_TASKS_PER_NODE=0,2"},
     "1 2 1"},
    {"without_counts_there_is_one", TASKS, CE_ORDER_NODEID, "n[1-2]", {NULL}, "1 1"},
    {"a_het_step_counts_by_slurms_own_order", TASKS, CE_ORDER_COMPONENTS, "n3,n1,n2",
     {"SLURM_STEP_NODELIST=n[1-3]", "SLURM_STEP_TASKS_PER_NODE=2(x2),1"}, "1 2 2"},
    {"an_arbitrary_step_counts_by_slurms_own_order", TASKS, CE_ORDER_LAYOUT, "n3,n1,n2",
     {"SLURM_STEP_NODELIST=n[1-3]", "SLURM_STEP_TASKS_PER_NODE=2,4,1"}, "1 2 4"},
    {"a_node_that_slurm_does_not_list_has_one", TASKS, CE_ORDER_COMPONENTS, "n9,n1",
     {"SLURM_STEP_NODELIST=n[1-3]", "SLURM_STEP_TASKS_PER_NODE=2,4,1"}, "1 2"},
    {"a_het_step_without_slurms_list_has_one_each", TASKS, CE_ORDER_COMPONENTS, "n3,n1",
     {"SLURM_STEP_TASKS_PER_NODE=2,4,3"}, "1 1"},
    {"a_job_without_order_counts_by_its_list", BATCH, CE_ORDER_JOB, "n[1-4]",
     {"SLURM_TASKS_PER_NODE=8,7(x2)"}, "8 7 7 1"},
    {"a_het_job_without_order_counts_by_its_components", BATCH, CE_ORDER_JOB, "n9,n4,n5",
     {"SLURM_JOB_ID=12", "SLURM_HET_SIZE=2", "SLURM_JOB_ID_HET_GROUP_0=12",
      "SLURM_JOB_NODELIST_HET_GROUP_0=n9", "SLURM_TASKS_PER_NODE_HET_GROUP_0=3",
      "SLURM_JOB_NODELIST_HET_GROUP_1=n[4-5]", "SLURM_TASKS_PER_NODE_HET_GROUP_1=8,7",
      "SLURM_TASKS_PER_NODE=3"}, "3 8 7"},
    {"a_het_job_counts_by_its_components", BATCH, CE_ORDER_COMPONENTS, "n9,n4,n5",
     {"SLURM_JOB_ID=12", "SLURM_HET_SIZE=2", "SLURM_JOB_ID_HET_GROUP_0=12",
      "SLURM_JOB_NODELIST_HET_GROUP_0=n9", "SLURM_TASKS_PER_NODE_HET_GROUP_0=3",
      "SLURM_JOB_NODELIST_HET_GROUP_1=n[4-5]", "SLURM_TASKS_PER_NODE_HET_GROUP_1=8,7",
      "SLURM_TASKS_PER_NODE=3"}, "3 8 7"},
};

static void count(void **state)
{
    const struct counts_row *row = *state;
    struct unit_env array = {.count = 0};
    struct ce_allocation allocation = {.id = {row->kind, 12, 0},
                                       .nodes = ce_hostlist_parse(row->nodes, NULL),
                                       .order = row->order};
    char joined[64] = "";
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    assert_int_equal(ce_slurm_count_tasks(&env, &allocation, NULL), 0);
    for (uint32_t i = 0; i < ce_allocation_node_count(&allocation); i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%u", i ? " " : "",
                 allocation.tasks[i]);
    assert_string_equal(joined, row->counts);
    ce_allocation_free(&allocation);
    unit_env_free(&array);
}

static void a_node_name_that_is_too_long_is_an_error(void **state)
{
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    uint32_t one[] = {1};
    struct ce_allocation allocation = {.id = {BATCH, 12, 0},
                                       .nodes = ce_hostlist_parse("n1", NULL),
                                       .tasks = one};
    struct ce_task task;
    struct ce_error err = {""};
    char name[CE_HOSTNAME_MAX + 2];
    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    unit_env_set(&array, "SLURMD_NODENAME", name + 1);
    assert_int_equal(ce_slurm_task(&env, &allocation, &task, &err), 0);
    unit_env_set(&array, "SLURMD_NODENAME", name);
    assert_int_equal(ce_slurm_task(&env, &allocation, &task, &err), -1);
    unit_holds(err.text, "SLURMD_NODENAME is longer");
    ce_hostlist_destroy(allocation.nodes);
    unit_env_free(&array);
}

static const struct launcher_row {
    const char *name, *command;
    bool launcher;
} launchers[] = {
    {"open_mpi_is_a_launcher", "orted", true},
    {"prrte_is_a_launcher", "/opt/prrte/bin/prted", true},
    {"mpich_is_a_launcher", "/usr/bin/hydra_pmi_proxy", true},
    {"intel_mpi_is_a_launcher", "hydra_bstrap_proxy", true},
    {"python_is_none", "/usr/bin/python3", false},
    {"torchrun_is_none", "torchrun", false},
    {"the_start_of_a_name_is_none", "orte", false},
    {"a_longer_name_is_none", "orted2", false},
    {"a_folder_of_that_name_is_none", "/opt/orted/python", false},
    {"nothing_is_none", "", false},
    {"a_folder_is_none", "/opt/orted/", false},
};

static void launcher(void **state)
{
    const struct launcher_row *row = *state;
    assert_int_equal(ce_slurm_is_launcher(row->command), row->launcher);
}

int main(void)
{
    UNIT_TABLE(identities, identifies);
    UNIT_TABLE(allocations, allocates);
    UNIT_TABLE(tasks, takes_place);
    UNIT_RULE(a_task_of_an_arbitrary_step_finds_itself_by_name);
    UNIT_TABLE(counts, count);
    UNIT_RULE(a_node_name_that_is_too_long_is_an_error);
    UNIT_TABLE(launchers, launcher);
    return UNIT_RUN("slurm/environment");
}
