/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/plan.h"

#include "../unit_env.h"
#include "launch/marker.h"
#include "scene.h"

enum { ENTRIES = 6 };
#define BOOK "10.1.0.1 n1\n10.1.0.2 n2\n"

static const struct scene step = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-2]", .tasks = 16,
    .task = {"n2", 1, 9, 1, 8, 8, 8},
    .address = "10.1.0.2/16", .book = BOOK, .port = 61012,
};
static const struct scene torchrun = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-2]", .tasks = 2,
    .task = {"n1", 0, 0, 0, 1, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK, .port = 61012,
};
/* What the plugin makes of an MPI launcher's daemons: a batch script, on any node. */
static const struct scene launcher = {
    .kind = CE_STEP_BATCH, .nodes = "n[1-2]", .tasks = 2,
    .task = {"n2", 0, 0, 0, 1, 8, 8},
    .address = "10.1.0.2/16", .book = BOOK, .port = 61012,
};
static const struct scene batch = {
    .kind = CE_STEP_BATCH, .nodes = "n[1-2]", .tasks = 16,
    .task = {"n1", 0, 0, 0, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK, .port = 60393,
};
static const struct scene no_book = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-2]", .tasks = 16,
    .task = {"n2", 1, 9, 1, 8, 8, 8},
    .address = "10.1.0.2/16", .port = 61012,
};

/* Files of the site and the user: pairs of path and name. */
static const char *lookup(const void *ctx, const char *name)
{
    const char *const *pair = ctx;
    for (; pair[0]; pair += 2)
        if (strcmp(pair[1], name) == 0)
            return pair[0];
    return NULL;
}
static const char *const no_files[] = {NULL};

static struct ce_plan *plan_of(struct stage *stage, struct unit_env *array, const void *files)
{
    struct ce_error err = {""};
    const struct ce_environ env = unit_environ(array);
    const struct ce_conf_lookup conf = {lookup, files};
    struct ce_plan *plan = ce_plan_create(&stage->view, &env, &conf, &stage->notes, &err);
    assert_string_equal(err.text, "");
    assert_non_null(plan);
    assert_int_equal(plan->count, ce_variable_count);
    return plan;
}

static const struct ce_change *change_of(const struct ce_plan *plan, const char *name)
{
    const struct ce_change *change = &plan->changes[find_variable(name) - ce_variables];
    assert_string_equal(change->variable->name, name);
    assert_int_equal(change->value != NULL, change->action == CE_SET);
    return change;
}

/* Record `names` (up to NULL) as an outer step of ours would have. */
static void mark(struct unit_env *array, const char *const *names)
{
    ce_autotext struct ce_text marker = CE_TEXT(10000);
    for (; *names; names++) {
        assert_non_null(unit_env_get(array, *names));
        ce_marker_add(&marker, *names, unit_env_get(array, *names));
    }
    unit_env_set(array, CE_MARKER, ce_text_string(&marker));
}

/* ---------------------------------------------------------------- one variable */

static const struct plan_row {
    const char *name;
    const struct scene *scene;
    const char *env[ENTRIES];
    const char *ours[ENTRIES]; /* of these: what an outer step of ours wrote */
    const char *variable;
    enum ce_action action;
    const char *value, *reason;
} rows[] = {
    {"identity_is_written", &step, {NULL}, {NULL}, "RANK", CE_SET, "9", "SLURM_PROCID"},
    {"identity_is_written_over_the_users", &step, {"RANK=0"}, {NULL}, "RANK", CE_SET, "9",
     "SLURM_PROCID"},
    {"identity_is_written_over_the_outer_steps", &step, {"RANK=3"}, {"RANK"}, "RANK", CE_SET, "9",
     "SLURM_PROCID"},
    {"an_outer_steps_rank_is_taken_out_of_a_script", &batch, {"RANK=3"}, {"RANK"}, "RANK",
     CE_UNSET, NULL, "not in this kind of step"},
    {"a_rank_of_the_users_own_stays_in_a_script", &batch, {"RANK=3"}, {NULL}, "RANK", CE_LEAVE,
     NULL, "set by the user"},
    {"a_rank_that_the_user_changed_stays_in_a_script", &batch, {"RANK=3", "WORLD_SIZE=1"},
     {"WORLD_SIZE"}, "RANK", CE_LEAVE, NULL, "set by the user"},
    {"no_rank_is_left_out_of_a_script", &batch, {NULL}, {NULL}, "RANK", CE_LEAVE, NULL,
     "not in this kind of step"},
    {"torchruns_variables_are_written_for_one_task_per_node", &torchrun, {NULL}, {NULL},
     "PET_NNODES", CE_SET, "2", "node list"},
    {"an_outer_torchruns_variables_are_taken_out_of_other_steps", &step, {"PET_NNODES=2"},
     {"PET_NNODES"}, "PET_NNODES", CE_UNSET, NULL, "not in this kind of step"},
    {"torchruns_variables_of_the_users_own_stay_in_other_steps", &step, {"PET_NNODES=1:4"}, {NULL},
     "PET_NNODES", CE_LEAVE, NULL, "set by the user"},
    {"an_outer_steps_rank_is_taken_from_an_mpi_launcher", &launcher, {"RANK=3"}, {"RANK"}, "RANK",
     CE_UNSET, NULL, "not in this kind of step"},
    {"an_mpi_launcher_learns_the_primary", &launcher, {NULL}, {NULL}, "PRIMARY_ADDR", CE_SET,
     "10.1.0.1", "address book"},
    {"what_is_not_known_is_left_out", &no_book, {NULL}, {NULL}, "CLUSTER_IP", CE_LEAVE, NULL,
     "not known on this node"},
    {"what_is_not_known_is_not_inherited", &no_book, {"CLUSTER_IP=10.1.0.1"}, {"CLUSTER_IP"},
     "CLUSTER_IP", CE_UNSET, NULL, "not known on this node"},
    {"what_is_not_known_may_be_the_users", &no_book, {"CLUSTER_IP=10.1.0.1"}, {NULL},
     "CLUSTER_IP", CE_LEAVE, NULL, "set by the user"},
    {"the_port_is_written", &step, {NULL}, {NULL}, "MASTER_PORT", CE_SET, "61012", "the scene"},
    {"the_users_own_port_wins", &step, {"MASTER_PORT=29500"}, {NULL}, "MASTER_PORT", CE_LEAVE,
     NULL, "set by the user"},
    {"an_outer_steps_port_is_recomputed", &step, {"MASTER_PORT=61001"}, {"MASTER_PORT"},
     "MASTER_PORT", CE_SET, "61012", "the scene"},
    {"a_port_that_is_none_is_replaced", &step, {"MASTER_PORT=auto"}, {NULL}, "MASTER_PORT",
     CE_SET, "61012", "the scene"},
    {"an_empty_port_is_replaced", &step, {"MASTER_PORT="}, {NULL}, "MASTER_PORT", CE_SET, "61012",
     "the scene"},
    {"port_zero_of_the_user_is_replaced", &step, {"MASTER_PORT=0"}, {NULL}, "MASTER_PORT", CE_SET,
     "61012", "the scene"},
    {"primary_port_of_the_user_is_replaced", &step, {"PRIMARY_PORT=29500"}, {NULL},
     "PRIMARY_PORT", CE_SET, "61012", "the scene"},
    {"tuning_is_written", &step, {NULL}, {NULL}, "NCCL_SOCKET_IFNAME", CE_SET, "=eth1",
     "node.facts"},
    {"tuning_of_the_users_own_stays", &step, {"NCCL_SOCKET_IFNAME=eth9"}, {NULL},
     "NCCL_SOCKET_IFNAME", CE_LEAVE, NULL, "set by the user"},
    {"tuning_of_an_outer_step_is_recomputed", &step, {"NCCL_SOCKET_IFNAME==eth9"},
     {"NCCL_SOCKET_IFNAME"}, "NCCL_SOCKET_IFNAME", CE_SET, "=eth1", "node.facts"},
    {"tuning_beside_a_variable_of_the_users_own_is_left_out", &step,
     {"NCCL_SOCKET_FAMILY=AF_INET"}, {NULL}, "NCCL_SOCKET_IFNAME", CE_LEAVE, NULL,
     "NCCL_SOCKET_FAMILY is set by the user"},
    {"tuning_of_an_outer_step_beside_the_users_is_taken_out", &step,
     {"NCCL_SOCKET_IFNAME==eth9", "NCCL_COMM_ID=10.9.9.9:1"}, {"NCCL_SOCKET_IFNAME"},
     "NCCL_SOCKET_IFNAME", CE_UNSET, NULL, "NCCL_COMM_ID is set by the user"},
    {"tuning_that_is_not_needed_is_not_inherited", &step, {"NCCL_SOCKET_FAMILY=AF_INET6"},
     {"NCCL_SOCKET_FAMILY"}, "NCCL_SOCKET_FAMILY", CE_UNSET, NULL, "not needed here"},
};

static void decides(void **state)
{
    const struct plan_row *row = *state;
    struct unit_env array = {.count = 0};
    struct stage stage;
    stage_set(&stage, row->scene);
    unit_env_fill(&array, row->env);
    mark(&array, row->ours);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, no_files);
    const struct ce_change *change = change_of(plan, row->variable);
    assert_int_equal(change->action, row->action);
    assert_string_equal(change->value ? change->value : "", row->value ? row->value : "");
    unit_holds(change->reason, row->reason);
    stage_clear(&stage);
    unit_env_free(&array);
}

static void a_port_that_is_none_is_noted_once(void **state)
{
    struct unit_env array = {.count = 0};
    struct ce_notes notes = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    (void)state;
    unit_env_set(&array, "MASTER_PORT", "65536");
    assert_int_equal(ce_plan_user_port(&env, &notes), 0);
    assert_int_equal(ce_plan_user_port(&env, NULL), 0);
    assert_int_equal(notes.count, 1);
    unit_holds(notes.line[0].text, "MASTER_PORT=65536");
    unit_env_set(&array, "MASTER_PORT", "65535");
    assert_int_equal(ce_plan_user_port(&env, &notes), 65535);
    assert_int_equal(notes.count, 1);
    unit_env_free(&array);
}

static void the_options_port_is_written_over_the_users(void **state)
{
    struct unit_env array = {.count = 0};
    struct stage stage;
    (void)state;
    stage_set(&stage, &step);
    stage.request.port = 7000;
    stage.view.port = (struct ce_port){7000, "--cluster-env=port=N"};
    unit_env_set(&array, "MASTER_PORT", "29500");
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, no_files);
    assert_int_equal(change_of(plan, "MASTER_PORT")->action, CE_SET);
    assert_string_equal(change_of(plan, "MASTER_PORT")->value, "7000");
    assert_string_equal(change_of(plan, "PRIMARY_PORT")->value, "7000");
    stage_clear(&stage);
    unit_env_free(&array);
}

/* ---------------------------------------------------------------- what the site says */

static const struct files_row {
    const char *name, *files[4], *ours;
    enum ce_action action;
    const char *reason;
} files[] = {
    {"a_file_of_the_site_wins", {"/etc/nccl.conf", "NCCL_SOCKET_IFNAME"}, NULL, CE_LEAVE,
     "NCCL_SOCKET_IFNAME is set in /etc/nccl.conf"},
    {"a_file_of_the_user_wins", {"/home/u/.nccl.conf", "NCCL_COMM_ID"}, NULL, CE_LEAVE,
     "NCCL_COMM_ID is set in /home/u/.nccl.conf"},
    {"a_file_takes_out_what_an_outer_step_wrote", {"/etc/nccl.conf", "NCCL_SOCKET_IFNAME"},
     "=eth9", CE_UNSET, "NCCL_SOCKET_IFNAME is set in /etc/nccl.conf"},
    {"another_variable_in_a_file_does_not_matter", {"/etc/nccl.conf", "NCCL_DEBUG"}, NULL, CE_SET,
     "node.facts"},
};

static void obeys_files(void **state)
{
    const struct files_row *row = *state;
    static const char *const name[] = {"NCCL_SOCKET_IFNAME", NULL};
    struct unit_env array = {.count = 0};
    struct stage stage;
    stage_set(&stage, &step);
    if (row->ours) {
        unit_env_set(&array, name[0], row->ours);
        mark(&array, name);
    }
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, row->files);
    const struct ce_change *change = change_of(plan, name[0]);
    assert_int_equal(change->action, row->action);
    unit_holds(change->reason, row->reason);
    assert_int_equal(change_of(plan, "GLOO_SOCKET_IFNAME")->action, CE_SET);
    stage_clear(&stage);
    unit_env_free(&array);
}

static void a_very_long_path_of_a_file_does_not_break_the_reason(void **state)
{
    char path[2000];
    const char *const pair[] = {path, "NCCL_SOCKET_IFNAME", NULL};
    struct unit_env array = {.count = 0};
    struct stage stage;
    (void)state;
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    stage_set(&stage, &step);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, pair);
    unit_holds(change_of(plan, "NCCL_SOCKET_IFNAME")->reason, "NCCL_SOCKET_IFNAME is set in pppp");
    stage_clear(&stage);
}

static void tuning_off_writes_identity_only(void **state)
{
    static const char *const old[] = {"TP_SOCKET_IFNAME", NULL};
    struct unit_env array = {.count = 0};
    struct stage stage;
    (void)state;
    stage_set(&stage, &step);
    stage.policy.tuning = CE_TUNING_OFF;
    unit_env_set(&array, "TP_SOCKET_IFNAME", "eth9");
    mark(&array, old);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, no_files);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->changes[i].variable->class == CE_TUNING)
            assert_int_not_equal(plan->changes[i].action, CE_SET);
    assert_int_equal(change_of(plan, "TP_SOCKET_IFNAME")->action, CE_UNSET);
    assert_int_equal(change_of(plan, "NCCL_SOCKET_IFNAME")->action, CE_LEAVE);
    unit_holds(change_of(plan, "NCCL_SOCKET_IFNAME")->reason, "tuning = \"off\"");
    assert_int_equal(change_of(plan, "RANK")->action, CE_SET);
    stage_clear(&stage);
    unit_env_free(&array);
}

/* ---------------------------------------------------------------- rails, and more libraries */

/* Of a node with four rails and one device that is none. */
static const struct more_row {
    const char *name;
    enum ce_tuning tuning;
    enum ce_rdma rdma;
    const char *env[ENTRIES], *ours[ENTRIES];
    const char *site[2]; /* what the site sets to what; NULL: nothing */
    const char *files[4];
    const char *variable;
    enum ce_action action;
    const char *value, *reason;
} mores[] = {
    {"rails_are_written", 0, 0, {NULL}, {NULL}, {NULL}, {NULL}, "NCCL_IB_HCA", CE_SET, "^=mlx5_0",
     "node.facts"},
    {"the_users_list_stays", 0, 0, {"NCCL_IB_HCA=mlx5_1"}, {NULL}, {NULL}, {NULL}, "NCCL_IB_HCA",
     CE_LEAVE, NULL, "set by the user"},
    {"a_list_of_nccls_files_stays", 0, 0, {NULL}, {NULL}, {NULL}, {"/etc/nccl.conf", "NCCL_IB_HCA"},
     "NCCL_IB_HCA", CE_LEAVE, NULL, "NCCL_IB_HCA is set in /etc/nccl.conf"},
    {"the_list_of_an_outer_step_is_recomputed", 0, 0, {"NCCL_IB_HCA==mlx5_7"}, {"NCCL_IB_HCA"},
     {NULL}, {NULL}, "NCCL_IB_HCA", CE_SET, "^=mlx5_0", "node.facts"},
    {"without_rdma_the_list_of_an_outer_step_goes", 0, CE_RDMA_OFF, {"NCCL_IB_HCA==mlx5_7"},
     {"NCCL_IB_HCA"}, {NULL}, {NULL}, "NCCL_IB_HCA", CE_UNSET, NULL, "NCCL_IB_DISABLE is set"},
    /* NCCL_IB_DISABLE: who asks for it gets it */
    {"rdma_off_is_written", 0, CE_RDMA_OFF, {NULL}, {NULL}, {NULL}, {NULL}, "NCCL_IB_DISABLE",
     CE_SET, "1", "rdma=off"},
    {"rdma_off_is_written_over_the_users", 0, CE_RDMA_OFF, {"NCCL_IB_DISABLE=0"}, {NULL}, {NULL},
     {NULL}, "NCCL_IB_DISABLE", CE_SET, "1", "rdma=off"},
    {"rdma_off_is_written_over_the_sites", 0, CE_RDMA_OFF, {NULL}, {NULL}, {"NCCL_IB_DISABLE", "0"},
     {NULL}, "NCCL_IB_DISABLE", CE_SET, "1", "rdma=off"},
    {"rdma_off_is_written_over_nccls_files", 0, CE_RDMA_OFF, {NULL}, {NULL}, {NULL},
     {"/etc/nccl.conf", "NCCL_IB_DISABLE"}, "NCCL_IB_DISABLE", CE_SET, "1", "rdma=off"},
    {"rdma_off_is_written_without_tuning", CE_TUNING_OFF, CE_RDMA_OFF, {NULL}, {NULL}, {NULL},
     {NULL}, "NCCL_IB_DISABLE", CE_SET, "1", "rdma=off"},
    {"rdma_off_of_an_outer_step_is_taken_back", 0, 0, {"NCCL_IB_DISABLE=1"}, {"NCCL_IB_DISABLE"},
     {NULL}, {NULL}, "NCCL_IB_DISABLE", CE_UNSET, NULL, "not asked for"},
    {"what_the_user_disabled_stays_so", 0, 0, {"NCCL_IB_DISABLE=1"}, {NULL}, {NULL}, {NULL},
     "NCCL_IB_DISABLE", CE_LEAVE, NULL, "set by the user"},
    {"what_the_site_disabled_is_written", 0, 0, {NULL}, {NULL}, {"NCCL_IB_DISABLE", "1"}, {NULL},
     "NCCL_IB_DISABLE", CE_SET, "1", "variables in cluster-env.conf"},
    /* the site's variables in place of ours */
    {"the_sites_list_is_written_in_place_of_ours", 0, 0, {NULL}, {NULL}, {"NCCL_IB_HCA", "mlx5"},
     {NULL}, "NCCL_IB_HCA", CE_SET, "mlx5", "variables in cluster-env.conf"},
    {"the_sites_list_is_written_without_tuning", CE_TUNING_OFF, 0, {NULL}, {NULL},
     {"NCCL_IB_HCA", "mlx5"}, {NULL}, "NCCL_IB_HCA", CE_SET, "mlx5", "variables in cluster-env.conf"},
    {"the_sites_list_of_another_library_is_written", 0, 0, {NULL}, {NULL},
     {"UCX_NET_DEVICES", "mlx5_1:1"}, {NULL}, "UCX_NET_DEVICES", CE_SET, "mlx5_1:1",
     "variables in cluster-env.conf"},
    {"the_users_list_wins_over_the_sites", 0, 0, {"NCCL_IB_HCA=mlx5_1"}, {NULL},
     {"NCCL_IB_HCA", "mlx5"}, {NULL}, "NCCL_IB_HCA", CE_LEAVE, NULL, "set by the user"},
    {"a_list_of_nccls_files_wins_over_the_sites", 0, 0, {NULL}, {NULL}, {"NCCL_IB_HCA", "mlx5"},
     {"/etc/nccl.conf", "NCCL_IB_HCA"}, "NCCL_IB_HCA", CE_LEAVE, NULL, "set in /etc/nccl.conf"},
    {"the_sites_list_of_an_outer_step_is_written_anew", 0, 0, {"NCCL_IB_HCA=mlx5_9"},
     {"NCCL_IB_HCA"}, {"NCCL_IB_HCA", "mlx5"}, {NULL}, "NCCL_IB_HCA", CE_SET, "mlx5",
     "variables in cluster-env.conf"},
    {"what_the_site_sets_beside_ours_leaves_it_out", 0, 0, {NULL}, {NULL},
     {"NCCL_NET_FORCE_MERGE", "mlx5_0,mlx5_1"}, {NULL}, "NCCL_IB_HCA", CE_LEAVE, NULL,
     "NCCL_NET_FORCE_MERGE is set in variables of cluster-env.conf"},
    {"what_the_site_sets_of_another_family_does_not", 0, 0, {NULL}, {NULL},
     {"NCCL_SOCKET_IFNAME", "=eth1"}, {NULL}, "NCCL_IB_HCA", CE_SET, "^=mlx5_0", "node.facts"},
    {"a_rank_of_the_sites_is_passed_over", 0, 0, {NULL}, {NULL}, {"RANK", "0"}, {NULL}, "RANK",
     CE_SET, "9", "SLURM_PROCID"},
    /* tuning = "all" */
    {"other_libraries_get_nothing", 0, 0, {NULL}, {NULL}, {NULL}, {NULL}, "UCX_NET_DEVICES",
     CE_LEAVE, NULL, "only with tuning = \"all\""},
    {"what_other_libraries_got_before_goes", 0, 0, {"UCX_NET_DEVICES=mlx5_1:1"},
     {"UCX_NET_DEVICES"}, {NULL}, {NULL}, "UCX_NET_DEVICES", CE_UNSET, NULL,
     "only with tuning = \"all\""},
    {"with_all_ucx_gets_the_rails", CE_TUNING_ALL, 0, {NULL}, {NULL}, {NULL}, {NULL},
     "UCX_NET_DEVICES", CE_SET, "mlx5_1:1,mlx5_2:1,mlx5_3:1,mlx5_4:1", "node.facts"},
    {"with_all_nvshmem_gets_the_rails", CE_TUNING_ALL, 0, {NULL}, {NULL}, {NULL}, {NULL},
     "NVSHMEM_HCA_LIST", CE_SET, "mlx5_1:1,mlx5_2:1,mlx5_3:1,mlx5_4:1", "node.facts"},
    {"with_all_open_mpi_gets_the_interface", CE_TUNING_ALL, 0, {NULL}, {NULL}, {NULL}, {NULL},
     "OMPI_MCA_btl_tcp_if_include", CE_SET, "eth1", "node.facts"},
    {"with_all_an_exclude_of_the_users_stays_alone", CE_TUNING_ALL, 0,
     {"OMPI_MCA_btl_tcp_if_exclude=lo"}, {NULL}, {NULL}, {NULL}, "OMPI_MCA_btl_tcp_if_include",
     CE_LEAVE, NULL, "OMPI_MCA_btl_tcp_if_exclude is set by the user"},
    {"with_all_the_default_ones_are_written_too", CE_TUNING_ALL, 0, {NULL}, {NULL}, {NULL}, {NULL},
     "GLOO_SOCKET_IFNAME", CE_SET, "eth1", "node.facts"},
    {"with_off_no_rails_are_written", CE_TUNING_OFF, 0, {NULL}, {NULL}, {NULL}, {NULL},
     "NCCL_IB_HCA", CE_LEAVE, NULL, "tuning = \"off\""},
};

static void decides_more(void **state)
{
    const struct more_row *row = *state;
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    struct unit_env array = {.count = 0};
    struct stage stage;
    struct ce_error err = {""};
    stage_set(&stage, &step);
    stage_add_rails(&stage, 4, true);
    stage.policy.tuning = row->tuning;
    stage.request.rdma = row->rdma;
    stage.view.rules = rules;
    if (row->site[0])
        assert_int_equal(ce_rules_set(rules, row->site[0], row->site[1], NULL), 0);
    unit_env_fill(&array, row->env);
    mark(&array, row->ours);
    const struct ce_environ env = unit_environ(&array);
    const struct ce_conf_lookup conf = {lookup, row->files};
    ce_auto(ce_plan_destroy) struct ce_plan *plan =
        ce_plan_create(&stage.view, &env, &conf, &stage.notes, &err);
    assert_non_null(plan);
    const struct ce_change *change = change_of(plan, row->variable);
    assert_int_equal(change->action, row->action);
    assert_string_equal(change->value ? change->value : "", row->value ? row->value : "");
    unit_holds(change->reason, row->reason);
    bool rank = row->site[0] && strcmp(row->site[0], "RANK") == 0;
    assert_int_equal(stage.notes.count, rank);
    if (rank)
        unit_holds(stage.notes.line[0].text, "RANK in the variables of cluster-env.conf is passed over");
    stage_clear(&stage);
    unit_env_free(&array);
}

/* The site's own variables are rows behind the table's. */
static const struct site_row {
    const char *name, *env[ENTRIES], *ours[ENTRIES];
    const char *here; /* what the site sets on this node; NULL: nothing */
    const char *files[4];
    enum ce_action action;
    const char *reason; /* NULL: there is no row */
} sites[] = {
    {"a_sites_variable_is_written", {NULL}, {NULL}, "106", {NULL}, CE_SET,
     "variables in cluster-env.conf"},
    {"that_of_another_node_gives_way", {"NCCL_IB_TC=41"}, {"NCCL_IB_TC"}, "106", {NULL}, CE_SET,
     "variables in cluster-env.conf"},
    {"the_users_stays", {"NCCL_IB_TC=41"}, {NULL}, "106", {NULL}, CE_LEAVE, "set by the user"},
    {"a_file_wins_over_the_sites", {NULL}, {NULL}, "106", {"/etc/nccl.conf", "NCCL_IB_TC"},
     CE_LEAVE, "set in /etc/nccl.conf"},
    {"a_file_wins_over_that_of_another_node", {"NCCL_IB_TC=41"}, {"NCCL_IB_TC"}, "106",
     {"/etc/nccl.conf", "NCCL_IB_TC"}, CE_UNSET, "set in /etc/nccl.conf"},
    {"that_of_another_node_is_not_inherited", {"NCCL_IB_TC=41"}, {"NCCL_IB_TC"}, NULL, {NULL},
     CE_UNSET, "not set by the site on this node"},
    {"a_variable_of_the_users_own_is_no_row", {"NCCL_IB_TC=42", "OTHER=1"},
     {"OTHER"}, NULL, {NULL}, CE_LEAVE, NULL},
    {"nobodys_is_no_row", {NULL}, {NULL}, NULL, {NULL}, CE_LEAVE, NULL},
};

static const struct ce_change *find_change(const struct ce_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->changes[i].variable->name, name) == 0)
            return &plan->changes[i];
    return NULL;
}

static void obeys_the_site(void **state)
{
    const struct site_row *row = *state;
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    struct unit_env array = {.count = 0};
    struct stage stage;
    struct ce_error err = {""};
    unit_env_fill(&array, row->env);
    if (row->ours[0])
        mark(&array, row->ours);
    stage_set(&stage, &step);
    if (row->here)
        assert_int_equal(ce_rules_set(rules, "NCCL_IB_TC", row->here, &err), 0);
    stage.view.rules = rules;
    const struct ce_environ env = unit_environ(&array);
    const struct ce_conf_lookup conf = {lookup, row->files};
    ce_auto(ce_plan_destroy) struct ce_plan *plan =
        ce_plan_create(&stage.view, &env, &conf, &stage.notes, &err);
    assert_non_null(plan);
    const struct ce_change *change = find_change(plan, "NCCL_IB_TC");
    assert_int_equal(change != NULL, row->reason != NULL);
    if (change) {
        assert_int_equal(change->action, row->action);
        assert_string_equal(change->reason, row->reason);
    }
    stage_clear(&stage);
    unit_env_free(&array);
}

/* A marker is what anybody may have made. */
static void a_marker_makes_no_more_rows_than_the_site_could(void **state)
{
    struct unit_env array = {.count = 0};
    struct stage stage;
    char marker[9000] = "1A:00000000,:00000000,a b:1,,:";
    (void)state;
    stage_set(&stage, &step);
    unit_env_set(&array, CE_MARKER, marker);
    ce_auto(ce_plan_destroy) struct ce_plan *none = plan_of(&stage, &array, no_files);
    assert_int_equal(none->count, ce_variable_count);
    for (size_t i = 0; i < 8000; i += 8)
        snprintf(marker + i, sizeof marker - i, ",X%zu", 100000 + i);
    unit_env_set(&array, CE_MARKER, marker);
    const struct ce_environ env = unit_environ(&array);
    const struct ce_conf_lookup conf = {lookup, no_files};
    struct ce_error err = {""};
    ce_auto(ce_plan_destroy) struct ce_plan *most =
        ce_plan_create(&stage.view, &env, &conf, &stage.notes, &err);
    assert_int_equal(most->count, ce_variable_count + CE_RULES_VARIABLES_MAX);
    stage_clear(&stage);
    unit_env_free(&array);
}

/* ---------------------------------------------------------------- carrying it out */

static void apply(const struct scene *scene, struct unit_env *array)
{
    struct ce_error err = {""};
    struct stage stage;
    stage_set(&stage, scene);
    const struct ce_environ env = unit_environ(array);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, array, no_files);
    assert_int_equal(ce_plan_apply(plan, &env, &err), 0);
    assert_string_equal(err.text, "");
    for (size_t i = 0; i < plan->count; i++) {
        const struct ce_change *change = &plan->changes[i];
        const char *name = change->variable->name, *found = unit_env_get(array, name);
        if (change->action == CE_SET)
            assert_string_equal(found, change->value);
        if (change->action == CE_UNSET)
            assert_null(found);
        assert_int_equal(found && ce_marker_holds(unit_env_get(array, CE_MARKER), name, found),
                         change->action == CE_SET);
    }
    stage_clear(&stage);
}

static void before_the_tasks_only_what_they_share_is_planned(void **state)
{
    static const char *const old[] = {"RANK", "PET_NNODES", NULL};
    struct unit_env array = {.count = 0};
    struct stage stage;
    (void)state;
    unit_env_set(&array, "RANK", "3");
    unit_env_set(&array, "PET_NNODES", "4");
    mark(&array, old);
    stage_set(&stage, &step);
    stage.view.task = NULL;
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, no_files);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->changes[i].variable->scope == CE_OWN)
            assert_int_not_equal(plan->changes[i].action, CE_SET);
    assert_int_equal(change_of(plan, "RANK")->action, CE_LEAVE);
    assert_string_equal(change_of(plan, "RANK")->reason, "each task's own");
    assert_int_equal(change_of(plan, "PET_NNODES")->action, CE_UNSET);
    assert_string_equal(change_of(plan, "WORLD_SIZE")->value, "16");
    assert_string_equal(change_of(plan, "PRIMARY_ADDR")->value, "10.1.0.1");
    stage_clear(&stage);
    unit_env_free(&array);
}

static const char *value_in(struct unit_env *array, const char *name)
{
    const char *value = unit_env_get(array, name);
    return value ? value : "-";
}

static void what_is_planned_is_carried_out_and_recorded(void **state)
{
    struct unit_env array = {.count = 0};
    (void)state;
    unit_env_set(&array, "PATH", "/bin");
    apply(&step, &array);
    assert_string_equal(value_in(&array, "RANK"), "9");
    assert_string_equal(value_in(&array, "PATH"), "/bin");
    assert_string_equal(value_in(&array, CE_STEP_VARIABLE), "12.0");
    assert_string_equal(value_in(&array, CE_OPTION_VARIABLE), "on");
    unit_env_free(&array);
}

static void a_variable_that_has_its_value_is_not_written(void **state)
{
    struct unit_env array = {.count = 0};
    (void)state;
    apply(&step, &array);
    array.read_only = true;
    apply(&step, &array);
    assert_string_equal(value_in(&array, "RANK"), "9");
    unit_env_free(&array);
}

/* sbatch with --cluster-env, a script with two sruns, and what a user may do between them. */
static void steps_inside_steps_have_their_own_values(void **state)
{
    struct unit_env array = {.count = 0};
    (void)state;
    apply(&batch, &array);
    assert_string_equal(value_in(&array, "MASTER_PORT"), "60393");
    assert_string_equal(value_in(&array, "NUM_NODES"), "2");
    assert_string_equal(value_in(&array, "NODE_RANK"), "-");
    assert_string_equal(value_in(&array, "RANK"), "-");
    apply(&torchrun, &array);
    assert_string_equal(value_in(&array, "MASTER_PORT"), "61012");
    assert_string_equal(value_in(&array, "PET_NNODES"), "2");
    assert_string_equal(value_in(&array, "NODE_RANK"), "0");
    apply(&step, &array);
    assert_string_equal(value_in(&array, "PET_NNODES"), "-");
    assert_string_equal(value_in(&array, "NODE_ADDR"), "10.1.0.2");
    assert_string_equal(value_in(&array, "RANK"), "9");
    /* a job submitted from inside */
    apply(&batch, &array);
    assert_string_equal(value_in(&array, "RANK"), "-");
    assert_string_equal(value_in(&array, "NODE_RANK"), "-");
    assert_string_equal(value_in(&array, "WORLD_SIZE"), "-");
    assert_string_equal(value_in(&array, "MASTER_PORT"), "60393");
    unit_env_free(&array);
}

static void the_users_port_and_tuning_outlive_all_steps(void **state)
{
    struct unit_env array = {.count = 0};
    (void)state;
    apply(&batch, &array);
    unit_env_set(&array, "MASTER_PORT", "29500");
    unit_env_set(&array, "GLOO_SOCKET_IFNAME", "eth7");
    apply(&step, &array);
    apply(&torchrun, &array);
    assert_string_equal(value_in(&array, "MASTER_PORT"), "29500");
    assert_string_equal(value_in(&array, "GLOO_SOCKET_IFNAME"), "eth7");
    assert_string_equal(value_in(&array, "TP_SOCKET_IFNAME"), "eth1");
    unit_env_free(&array);
}

static void a_variable_that_is_refused_is_named_and_the_others_are_written(void **state)
{
    static const char *const refused[] = {"NODE_ADDR", "TP_SOCKET_IFNAME", CE_MARKER};
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(refused); i++) {
        struct unit_env array = {.refused = refused[i]};
        const struct ce_environ env = unit_environ(&array);
        struct ce_error err = {""};
        struct stage stage;
        stage_set(&stage, &step);
        ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, no_files);
        assert_int_equal(ce_plan_apply(plan, &env, &err), -1);
        unit_holds(err.text, refused[i]);
        assert_string_equal(value_in(&array, refused[i]), "-");
        assert_string_equal(value_in(&array, "RANK"), "9");
        assert_string_equal(value_in(&array, CE_STEP_VARIABLE), "12.0");
        stage_clear(&stage);
        unit_env_free(&array);
    }
}

/* ---------------------------------------------------------------- too long to be a variable */

/* `count` names of 15 bytes each: with their commas 16 x count - 1 bytes. */
static struct scene long_scene(char *nodes, size_t size, unsigned count)
{
    snprintf(nodes, size, "n-----[000000000-%09u]", count - 1);
    return (struct scene){.kind = CE_STEP_TASKS, .nodes = nodes, .tasks = count, .port = 61012,
                          .task = {.local_tasks = 1, .visible_gpus = UINT32_MAX}};
}

static void a_list_that_just_fits_is_written(void **state)
{
    struct unit_env array = {.count = 0};
    struct stage stage;
    char nodes[64];
    (void)state;
    const struct scene scene = long_scene(nodes, sizeof nodes, CE_VALUE_MAX / 16);
    stage_set(&stage, &scene);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, no_files);
    const struct ce_change *change = change_of(plan, "CLUSTER_NODES");
    assert_int_equal(change->action, CE_SET);
    assert_int_equal(strlen(change->value), CE_VALUE_MAX - 1);
    assert_int_equal(stage.notes.count, 0);
    stage_clear(&stage);
}

static void lists_that_do_not_fit_are_left_out_with_one_note(void **state)
{
    static const char *const old[] = {"CLUSTER_NODES", NULL};
    ce_autotext struct ce_text book = CE_TEXT(4 << 20);
    struct unit_env array = {.count = 0};
    struct stage stage;
    char nodes[64];
    (void)state;
    struct scene scene = long_scene(nodes, sizeof nodes, 16384);
    for (unsigned i = 0; i < 16384; i++)
        ce_text_addf(&book, "10.1%u.%u.%u n-----%09u\n", i >> 12, 100 + ((i >> 6) & 63),
                     100 + (i & 63), i);
    scene.book = ce_text_string(&book);
    stage_set(&stage, &scene);
    assert_int_equal(stage.cluster.known, 16384);
    unit_env_set(&array, "CLUSTER_NODES", "n1,n2");
    mark(&array, old);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, no_files);
    assert_int_equal(change_of(plan, "CLUSTER_NODES")->action, CE_UNSET);
    assert_int_equal(change_of(plan, "CLUSTER_IPS")->action, CE_LEAVE);
    assert_int_equal(change_of(plan, "SKYPILOT_NODE_IPS")->action, CE_LEAVE);
    assert_string_equal(change_of(plan, "CLUSTER_IPS")->reason, "too long for a variable");
    assert_string_equal(change_of(plan, "NUM_NODES")->value, "16384");
    assert_int_equal(stage.notes.count, 1);
    unit_holds(stage.notes.line[0].text, "128000 bytes");
    unit_holds(stage.notes.line[0].text, "CLUSTER_IPS, CLUSTER_NODES, SKYPILOT_NODE_IPS");
    stage_clear(&stage);
    unit_env_free(&array);
}

static void a_list_that_does_not_fit_may_be_the_users(void **state)
{
    struct unit_env array = {.count = 0};
    struct stage stage;
    char nodes[64];
    (void)state;
    const struct scene scene = long_scene(nodes, sizeof nodes, 16384);
    stage_set(&stage, &scene);
    unit_env_set(&array, "CLUSTER_NODES", "my own");
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(&stage, &array, no_files);
    assert_int_equal(change_of(plan, "CLUSTER_NODES")->action, CE_LEAVE);
    assert_string_equal(change_of(plan, "CLUSTER_NODES")->reason, "set by the user");
    stage_clear(&stage);
    unit_env_free(&array);
}

int main(void)
{
    UNIT_TABLE(rows, decides);
    UNIT_RULE(a_port_that_is_none_is_noted_once);
    UNIT_RULE(the_options_port_is_written_over_the_users);
    UNIT_TABLE(files, obeys_files);
    UNIT_TABLE(mores, decides_more);
    UNIT_TABLE(sites, obeys_the_site);
    UNIT_RULE(a_marker_makes_no_more_rows_than_the_site_could);
    UNIT_RULE(a_very_long_path_of_a_file_does_not_break_the_reason);
    UNIT_RULE(tuning_off_writes_identity_only);
    UNIT_RULE(before_the_tasks_only_what_they_share_is_planned);
    UNIT_RULE(what_is_planned_is_carried_out_and_recorded);
    UNIT_RULE(a_variable_that_has_its_value_is_not_written);
    UNIT_RULE(steps_inside_steps_have_their_own_values);
    UNIT_RULE(the_users_port_and_tuning_outlive_all_steps);
    UNIT_RULE(a_variable_that_is_refused_is_named_and_the_others_are_written);
    UNIT_RULE(a_list_that_just_fits_is_written);
    UNIT_RULE(lists_that_do_not_fit_are_left_out_with_one_note);
    UNIT_RULE(a_list_that_does_not_fit_may_be_the_users);
    ce_plan_destroy(NULL);
    return UNIT_RUN("launch/plan");
}
