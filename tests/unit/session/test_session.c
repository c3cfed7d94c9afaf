/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session.h"

#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "../unit_dir.h"
#include "../unit_env.h"

enum { ENTRIES = 16 };

static struct unit_dir dir;

/* The texts of node n2 in a cluster of four. */
static const char facts[] = "format=1\nhost.name=n2\nnetif.eth0.kind=ethernet\nnetif.eth0.up=1\n"
                            "netif.eth0.default_route=1\nnetif.eth0.address.0=192.168.1.2/24\n"
                            "netif.eth1.kind=ethernet\nnetif.eth1.up=1\n"
                            "netif.eth1.address.0=10.1.0.2/16\nend=1\n";
static const char policy[] = "format=1\nport.first=50000\nport.last=50099\nend=1\n";
static const char book[] = "10.1.0.1 n1\n10.1.0.2 n2\n10.1.0.3 n3\n10.1.0.4 n4\n" CE_BOOK_END "\n";

#define STEP                                                                                       \
    "SLURM_JOB_ID=12", "SLURM_STEP_NODELIST=n[1-4]", "SLURM_STEP_NUM_TASKS=32",                     \
        "SLURM_GTIDS=8,9,10,11,12,13,14,15", "SLURMD_NODENAME=n2", "SLURM_NODEID=1",                \
        "SLURM_PROCID=13", "SLURM_LOCALID=5"

static struct ce_session *open_session(const char *run_dir, const struct ce_environ *env,
                                       const char *option)
{
    const struct ce_step_id id = {CE_STEP_TASKS, 12, 0};
    struct ce_request request;
    struct ce_error err = {""};
    assert_int_equal(ce_request_parse(option, &request, &err), 0);
    struct ce_session *session = ce_session_open(run_dir, env, id, &request, &err);
    assert_string_equal(err.text, "");
    assert_non_null(session);
    return session;
}

static struct ce_plan *plan_of(struct ce_session *session, const struct ce_environ *env,
                               struct ce_task *task)
{
    struct ce_error err = {""};
    assert_int_equal(ce_session_enter(session, env, task, &err), 0);
    struct ce_plan *plan = ce_session_plan(session, task, env, &err);
    assert_string_equal(err.text, "");
    assert_non_null(plan);
    return plan;
}

static const char *value_of(const struct ce_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->changes[i].variable->name, name) == 0)
            return plan->changes[i].action == CE_SET     ? plan->changes[i].value
                   : plan->changes[i].action == CE_UNSET ? "(unset)"
                                                         : "(left)";
    fail_msg("no %s", name);
    return NULL;
}

/* ---------------------------------------------------------------- from texts and environment to values */

static const struct value_row {
    const char *name, *option, *env[ENTRIES];
    const char *variable, *value;
} values[] = {
    {"a_task_gets_its_rank", NULL, {STEP}, "RANK", "13"},
    {"a_task_gets_its_nodes_address", NULL, {STEP}, "NODE_ADDR", "10.1.0.2"},
    {"a_task_gets_the_primary", NULL, {STEP}, "PRIMARY_ADDR", "10.1.0.1"},
    {"the_port_is_of_the_policys_window", NULL, {STEP}, "MASTER_PORT", "50012"},
    {"the_options_port_is_taken", "port=7000", {STEP}, "HOST_NODE_ADDR", "10.1.0.1:7000"},
    {"the_users_port_is_taken", NULL, {STEP, "MASTER_PORT=8000"}, "PRIMARY_PORT", "8000"},
    {"the_users_port_is_left_in_its_variable", NULL, {STEP, "MASTER_PORT=8000"}, "MASTER_PORT",
     "(left)"},
    {"the_options_port_is_taken_before_the_users", "port=7000", {STEP, "MASTER_PORT=8000"},
     "MASTER_PORT", "7000"},
    {"a_reserved_port_is_taken", NULL, {STEP, "SLURM_STEP_RESV_PORTS=9000-9003"}, "MASTER_PORT",
     "9000"},
    {"jax_gets_the_port_behind_the_users", NULL, {STEP, "MASTER_PORT=8000"},
     "JAX_COORDINATOR_ADDRESS", "10.1.0.1:8001"},
    {"gloo_gets_the_cluster_interface", NULL, {STEP}, "GLOO_SOCKET_IFNAME", "eth1"},
    {"gloo_of_the_user_is_left", NULL, {STEP, "GLOO_SOCKET_IFNAME=eth0"}, "GLOO_SOCKET_IFNAME",
     "(left)"},
};

static void value(void **state)
{
    const struct value_row *row = *state;
    struct unit_env array = {.count = 0};
    struct ce_task task;
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session =
        open_session(dir.path, &env, row->option);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(session, &env, &task);
    assert_string_equal(value_of(plan, row->variable), row->value);
    assert_int_equal(session->notes.count, 0);
    unit_env_free(&array);
}

static void a_conf_file_of_the_user_keeps_nccl_as_it_is(void **state)
{
    static const char *const step[] = {STEP, NULL};
    struct unit_env array = {.count = 0};
    struct ce_task task;
    char path[200];
    (void)state;
    unit_env_fill(&array, step);
    unit_dir_write(&dir, "nccl.conf", "NCCL_SOCKET_IFNAME=eth9\n");
    snprintf(path, sizeof path, "%s/nccl.conf", dir.path);
    unit_env_set(&array, "NCCL_CONF_FILE", path);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session = open_session(dir.path, &env, NULL);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(session, &env, &task);
    assert_string_equal(value_of(plan, "NCCL_SOCKET_IFNAME"), "(left)");
    assert_string_equal(value_of(plan, "GLOO_SOCKET_IFNAME"), "eth1");
    unit_env_free(&array);
}

/* What user_init does once for the node, before any task has its rank. */
static void what_is_shared_is_set_before_the_tasks(void **state)
{
    static const char *const step[] = {STEP, NULL};
    struct unit_env array = {.count = 0};
    struct ce_task task;
    struct ce_error err = {""};
    (void)state;
    unit_env_fill(&array, step);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session = open_session(dir.path, &env, NULL);
    ce_session_share(session, &env);
    assert_string_equal(unit_env_get(&array, "PRIMARY_ADDR"), "10.1.0.1");
    assert_string_equal(unit_env_get(&array, "MASTER_PORT"), "50012");
    assert_null(unit_env_get(&array, "RANK"));
    assert_null(unit_env_get(&array, "NODE_RANK"));
    /* the task's own plan takes them for ours, and adds the rest */
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(session, &env, &task);
    assert_int_equal(ce_plan_apply(plan, &env, &err), 0);
    assert_string_equal(unit_env_get(&array, "MASTER_PORT"), "50012");
    assert_string_equal(unit_env_get(&array, "GLOO_SOCKET_IFNAME"), "eth1");
    assert_string_equal(unit_env_get(&array, "RANK"), "13");
    assert_int_equal(session->notes.count, 0);
    unit_env_free(&array);
}

static void what_cannot_be_shared_is_noted(void **state)
{
    static const char *const step[] = {STEP, NULL};
    struct unit_env array = {.refused = "PRIMARY_ADDR"};
    (void)state;
    unit_env_fill(&array, step);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session = open_session(dir.path, &env, NULL);
    ce_session_share(session, &env);
    assert_int_equal(session->notes.count, 1);
    unit_holds(session->notes.line[0].text, "cannot set PRIMARY_ADDR");
    unit_env_free(&array);
}

static void without_texts_names_are_handed_on_with_one_note(void **state)
{
    static const char *const step[] = {STEP, NULL};
    struct unit_env array = {.count = 0};
    struct ce_task task;
    (void)state;
    unit_env_fill(&array, step);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session =
        open_session("/nonexistent/cluster-env", &env, NULL);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(session, &env, &task);
    assert_string_equal(value_of(plan, "PRIMARY_ADDR"), "n1");
    assert_string_equal(value_of(plan, "NODE_ADDR"), "n2");
    assert_string_equal(value_of(plan, "CLUSTER_IP"), "(left)");
    assert_string_equal(value_of(plan, "GLOO_SOCKET_IFNAME"), "(left)");
    assert_string_equal(value_of(plan, "MASTER_PORT"), "61012");
    assert_int_equal(session->notes.count, 1);
    unit_env_free(&array);
}

static void a_port_of_the_users_that_is_none_is_noted_once(void **state)
{
    static const char *const step[] = {STEP, "MASTER_PORT=none", NULL};
    struct unit_env array = {.count = 0};
    struct ce_task task;
    struct ce_error err = {""};
    (void)state;
    unit_env_fill(&array, step);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session = open_session(dir.path, &env, NULL);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(session, &env, &task);
    assert_int_equal(ce_session_check_primary(session, &task, &env, &err), 0);
    assert_string_equal(value_of(plan, "MASTER_PORT"), "50012");
    assert_int_equal(session->notes.count, 1);
    unit_holds(session->notes.line[0].text, "MASTER_PORT=none");
    unit_env_free(&array);
}

/* ---------------------------------------------------------------- lists of others */

#define FOUR "mlx5_1,mlx5_1,mlx5_1,mlx5_1,"
#define SIXTEEN FOUR FOUR FOUR FOUR

/* What is reported about a list that the user, NCCL's files or the site has; the node has eth0 and eth1, mlx5_0 and
 * mlx5_1. */
static const struct list_row {
    const char *name, *env[ENTRIES];
    const char *file; /* the user's nccl.conf; NULL: none */
    const char *site; /* a line of node.policy; NULL: none */
    const char *note; /* NULL: none */
} lists[] = {
    {"a_list_of_what_is_there_is_no_note", {STEP, "NCCL_SOCKET_IFNAME==eth0,eth1"}, NULL, NULL, NULL},
    {"a_name_of_the_user_that_is_not_there_is_a_note", {STEP, "NCCL_SOCKET_IFNAME==eth7"}, NULL, NULL,
     "NCCL_SOCKET_IFNAME==eth7: no interface of this node is called eth7; 'cluster-env topology'"},
    {"a_beginning_that_nothing_has_is_a_note", {STEP, "NCCL_SOCKET_IFNAME=ens"}, NULL, NULL,
     "is called so or begins with ens;"},
    {"a_port_that_is_not_there_is_told_with_its_device", {STEP, "NCCL_IB_HCA=mlx5_0:2"}, NULL, NULL,
     "no HCA of this node is called so or begins with mlx5_0:2;"},
    {"a_name_of_a_file_that_is_not_there_is_a_note", {STEP}, "NCCL_IB_HCA=mlx5_0,mlx5_9\n", NULL,
     "NCCL_IB_HCA=mlx5_0,mlx5_9: no HCA of this node is called so or begins with mlx5_9;"},
    {"a_line_that_nccl_does_not_read_is_no_note", {STEP}, "NCCL_IB_HCA = mlx5_9\n", NULL, NULL},
    {"a_name_of_the_site_that_is_not_there_is_a_note", {STEP}, NULL, "variable.NCCL_IB_HCA=^m1x5_0\n",
     "NCCL_IB_HCA=^m1x5_0: no HCA"},
    {"the_users_list_is_told_before_that_of_a_file", {STEP, "NCCL_IB_HCA=a"}, "NCCL_IB_HCA=b\n", NULL,
     "NCCL_IB_HCA=a: no HCA"},
    {"a_files_list_is_told_before_the_sites", {STEP}, "NCCL_IB_HCA=b\n", "variable.NCCL_IB_HCA=c\n",
     "NCCL_IB_HCA=b: no HCA"},
    {"more_entries_than_nccl_reads_are_a_note",
     {STEP, "NCCL_SOCKET_IFNAME=lo,eth0,eth1,eth0,eth1,eth0,eth1,eth0,eth1,eth0,eth1,eth0,eth1,eth0,"
            "eth1,eth0,eth1"},
     NULL, NULL, "NCCL_SOCKET_IFNAME has 17 entries, but NCCL reads only the first 16; use a prefix"},
    {"rails_of_nccl_2_30_are_no_note", {STEP, "NCCL_IB_HCA==mlx5_0:1:0:0"}, NULL, NULL, NULL},
    {"a_rail_without_a_port_is_a_note", {STEP, "NCCL_IB_HCA==mlx5_0::0:0"}, NULL, NULL,
     "NCCL_IB_HCA==mlx5_0::0:0: NCCL before 2.30.5 reads the empty port of mlx5_0 as port 0, which no HCA has; "
     "write the port, as in mlx5_0:1"},
    {"a_rail_of_an_hca_that_is_not_there_is_reported_by_its_name",
     {STEP, "NCCL_IB_HCA==mlx5_9::0:0"}, NULL, NULL,
     "NCCL_IB_HCA==mlx5_9::0:0: no HCA of this node is called mlx5_9;"},
    {"an_empty_port_that_selects_nothing_else_is_no_note",
     {STEP, "NCCL_IB_HCA=mlx5_0::0,mlx5_0"}, NULL, NULL, NULL},
    {"an_empty_port_of_an_interface_is_no_note", {STEP, "NCCL_SOCKET_IFNAME==eth0:"}, NULL, NULL, NULL},
    {"a_17th_hca_that_nccl_2_18_does_not_read_is_a_note",
     {STEP, "NCCL_IB_HCA=" SIXTEEN "mlx5_0"}, NULL, NULL,
     "NCCL_IB_HCA has 17 entries, but NCCL before 2.19 reads only the first 16; use a prefix"},
    {"a_17th_hca_that_changes_nothing_is_no_note_of_versions",
     {STEP, "NCCL_IB_HCA=" SIXTEEN "mlx5_1"}, NULL, NULL, NULL},
    {"a_33rd_hca_is_read_by_no_nccl", {STEP, "NCCL_IB_HCA=" SIXTEEN SIXTEEN "mlx5_0"}, NULL, NULL,
     "NCCL_IB_HCA has 33 entries, but NCCL reads only the first 32; use a prefix"},
};

static void write_texts_with(struct unit_dir *run, const struct list_row *row)
{
    char text[2000];
    snprintf(text, sizeof text, "format=1\n%s%.*s", "netif.lo.kind=other\nib.mlx5_0.1.state=4\nib.mlx5_1.1.state=4\n",
             (int)sizeof facts, facts + strlen("format=1\n"));
    unit_dir_write(run, CE_FACTS_FILE, text);
    snprintf(text, sizeof text, "format=1\n%send=1\n", row->site ? row->site : "");
    unit_dir_write(run, CE_POLICY_FILE, text);
    unit_dir_write(run, CE_BOOK_FILE, book);
    unit_dir_write(run, "nccl.conf", row->file ? row->file : "");
}

static void judges_lists(void **state)
{
    const struct list_row *row = *state;
    struct unit_dir run = unit_dir_make();
    struct unit_env array = {.count = 0};
    struct ce_task task;
    char path[200];
    write_texts_with(&run, row);
    snprintf(path, sizeof path, "%s/nccl.conf", run.path);
    unit_env_fill(&array, row->env);
    unit_env_set(&array, "NCCL_CONF_FILE", path);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session = open_session(run.path, &env, NULL);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = plan_of(session, &env, &task);
    unit_dir_remove(&run);
    unit_env_free(&array);
    assert_string_equal(value_of(plan, "RANK"), "13");
    assert_int_equal(session->notes.count, row->note != NULL);
    if (row->note)
        unit_holds(session->notes.line[0].text, row->note);
}

/* ---------------------------------------------------------------- what must not run */

static const struct refusal_row {
    const char *name, *env[ENTRIES];
    const char *reason; /* of the refusal when the task enters */
} refusals[] = {
    {"a_node_at_another_place_is_refused",
     {"SLURM_STEP_NODELIST=n[1-4]", "SLURM_STEP_NUM_TASKS=4", "SLURMD_NODENAME=n2",
      "SLURM_NODEID=2", "SLURM_PROCID=2", "SLURM_LOCALID=0"},
     "node 2 of the step is n3"},
    {"a_node_past_the_list_is_refused",
     {"SLURM_STEP_NODELIST=n[1-4]", "SLURM_STEP_NUM_TASKS=4", "SLURM_NODEID=4", "SLURM_PROCID=2",
      "SLURM_LOCALID=0"},
     "names only 4 nodes"},
    {"a_task_without_rank_is_refused",
     {"SLURM_STEP_NODELIST=n[1-4]", "SLURM_STEP_NUM_TASKS=4", "SLURM_NODEID=1", "SLURM_LOCALID=0"},
     "SLURM_PROCID is not set"},
    {"an_arbitrary_order_is_refused",
     {"SLURM_STEP_NODELIST=n[1-4]", "SLURM_STEP_NUM_TASKS=4", "SLURM_NODEID=1", "SLURM_PROCID=1",
      "SLURM_LOCALID=0", "SLURM_DISTRIBUTION=arbitrary"},
     "-m arbitrary"},
};

static void is_refused(void **state)
{
    const struct refusal_row *row = *state;
    struct unit_env array = {.count = 0};
    struct ce_task task;
    struct ce_error err = {""};
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session = open_session(dir.path, &env, NULL);
    assert_int_equal(ce_session_enter(session, &env, &task, &err), -1);
    unit_holds(err.text, row->reason);
    unit_env_free(&array);
}

/* Rails of n1 and n2 differ by the configuration, which all nodes know: the first speaks for them. */
static const struct differ_row {
    const char *name, *policy, *own, *node_id, *option;
    const char *reason; /* NULL: the task may run */
} differs[] = {
    {"the_first_node_refuses_nodes_that_differ", "refuse", "8", "0", NULL, "different rails: n1 8"},
    {"the_others_leave_it_to_the_first", "refuse", "8", "1", NULL, NULL},
    {"a_node_that_falls_short_refuses_itself", "refuse", "9", "1", NULL,
     "this node has 8 InfiniBand rails of 400 Gb/s, expected 9"},
    {"what_differs_may_run_without_rdma", "refuse", "8", "0", "rdma=off", NULL},
    {"what_differs_may_run_with_a_warning", "warn", "8", "0", NULL, NULL},
    {"the_first_node_refuses_nodes_without_common_rails", "common", "8", "0", "rdma=require",
     "they have none in common"},
    {"the_others_leave_that_to_the_first_too", "common", "8", "1", "rdma=require", NULL},
};

static void write_rails(struct unit_dir *run, const struct differ_row *row)
{
    ce_autotext struct ce_text text = CE_TEXT(10000);
    ce_text_add(&text, "format=1\n");
    for (unsigned i = 0; i < 8; i++)
        ce_text_addf(&text,
                     "ib.mlx5_%u.type=MT4129\nib.mlx5_%u.pci=0000:%02x:00.0\n"
                     "ib.mlx5_%u.1.state=4\nib.mlx5_%u.1.link_layer=infiniband\n"
                     "ib.mlx5_%u.1.rate_mbps=400000\n", i, i, 16 + i, i, i, i);
    ce_text_add(&text, "end=1\n");
    unit_dir_write(run, CE_FACTS_FILE, ce_text_string(&text));
    ce_autotext struct ce_text policy_text = CE_TEXT(1000);
    ce_text_addf(&policy_text, "format=1\nrails.count=%s\nrails.differ=%s\n"
                 "rails.general.count=8\nrails.general.link_layer=infiniband\n"
                 "rails.group.0.names=n2\nrails.group.0.count=4\n"
                 "rails.group.0.link_layer=ethernet\nend=1\n", row->own, row->policy);
    unit_dir_write(run, CE_POLICY_FILE, ce_text_string(&policy_text));
}

static void differ(void **state)
{
    const struct differ_row *row = *state;
    static const char *const place[] = {"SLURM_STEP_NODELIST=n[1-2]", "SLURM_STEP_NUM_TASKS=2",
                                        "SLURM_LOCALID=0", NULL};
    struct unit_dir run = unit_dir_make();
    struct unit_env array = {.count = 0};
    struct ce_task task;
    struct ce_error err = {""};
    write_rails(&run, row);
    unit_env_fill(&array, place);
    unit_env_set(&array, "SLURM_NODEID", row->node_id);
    unit_env_set(&array, "SLURM_PROCID", row->node_id);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session =
        open_session(run.path, &env, row->option);
    unit_dir_remove(&run);
    assert_int_equal(ce_session_enter(session, &env, &task, &err), row->reason ? -1 : 0);
    unit_env_free(&array);
    if (row->reason)
        unit_holds(err.text, row->reason);
}

static void a_list_that_is_none_opens_no_session(void **state)
{
    static const char *const bad[] = {"SLURM_STEP_NODELIST=n[1-", "SLURM_STEP_NUM_TASKS=4", NULL};
    const struct ce_step_id id = {CE_STEP_TASKS, 12, 0};
    const struct ce_request request = {.on = true};
    struct unit_env array = {.count = 0};
    struct ce_error err = {""};
    (void)state;
    unit_env_fill(&array, bad);
    const struct ce_environ env = unit_environ(&array);
    assert_null(ce_session_open(dir.path, &env, id, &request, &err));
    unit_holds(err.text, "host list: ");
    unit_env_free(&array);
    ce_session_close(NULL);
}

/* ---------------------------------------------------------------- GPUs that a task does not see */

static const struct gpu_row {
    const char *name, *ranks, *on_node, *visible; /* NULL: not in the environment */
    bool noted;
} gpus[] = {
    {"a_task_that_sees_one_of_eight_is_noted", "8,9,10,11,12,13,14,15", "8", "3", true},
    {"a_task_that_sees_two_of_eight_is_noted", "8,9,10,11", "8", "2,3", true},
    {"a_task_that_sees_none_of_eight_is_noted", "8,9,10,11,12,13,14,15", "8", "", true},
    {"a_task_that_sees_all_is_not", "8,9,10,11,12,13,14,15", "8", "0,1,2,3,4,5,6,7", false},
    {"a_task_alone_that_sees_some_is_not", "9", "8", "0,1,2,3", false},
    {"a_task_that_is_not_told_is_not", "8,9,10,11,12,13,14,15", "8", NULL, false},
    {"a_node_without_gpus_is_not", "8,9,10,11", NULL, "", false},
};

static void hidden(void **state)
{
    static const char *const place[] = {"SLURM_STEP_NODELIST=n[1-4]", "SLURM_STEP_NUM_TASKS=32",
                                        "SLURM_NODEID=1", "SLURM_PROCID=9", "SLURM_LOCALID=1",
                                        NULL};
    const struct gpu_row *row = *state;
    struct unit_env array = {.count = 0};
    struct ce_task task;
    struct ce_error err = {""};
    unit_env_fill(&array, place);
    unit_env_set(&array, "SLURM_GTIDS", row->ranks);
    if (row->on_node)
        unit_env_set(&array, "SLURM_GPUS_ON_NODE", row->on_node);
    if (row->visible)
        unit_env_set(&array, "CUDA_VISIBLE_DEVICES", row->visible);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session = open_session(dir.path, &env, NULL);
    assert_int_equal(ce_session_enter(session, &env, &task, &err), 0);
    unit_env_free(&array);
    assert_int_equal(session->notes.count, row->noted);
    if (row->noted)
        unit_holds(session->notes.line[0].text, "LOCAL_RANK is not the number of its GPU");
}

/* ---------------------------------------------------------------- the primary's address and port */

/* Nobody has 192.0.2.1: the book is stale for whoever is rank 0. */
static const struct stale_row {
    const char *name, *book, *node_id, *local_id;
    bool refused;
} stales[] = {
    {"a_primary_without_its_address_is_refused", "192.0.2.1 n1\n", "0", "0", true},
    {"other_tasks_of_the_primary_do_not_look", "192.0.2.1 n1\n", "0", "1", false},
    {"other_nodes_do_not_look", "192.0.2.1 n1\n", "1", "0", false},
    {"a_primary_without_an_address_in_the_book_has_none_to_look_for", "192.0.2.2 n2\n", "0", "0",
     false},
};

static void stale(void **state)
{
    const struct stale_row *row = *state;
    static const char *const place[] = {"SLURM_STEP_NODELIST=n[1-2]", "SLURM_STEP_NUM_TASKS=4",
                                        "SLURM_PROCID=0", NULL};
    struct unit_dir run = unit_dir_make();
    struct unit_env array = {.count = 0};
    struct ce_task task;
    struct ce_error err = {""};
    char text[100];
    snprintf(text, sizeof text, "%s%s\n", row->book, CE_BOOK_END);
    unit_dir_write(&run, CE_BOOK_FILE, text);
    unit_env_fill(&array, place);
    unit_env_set(&array, "SLURM_NODEID", row->node_id);
    unit_env_set(&array, "SLURM_LOCALID", row->local_id);
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_session_close) struct ce_session *session = open_session(run.path, &env, NULL);
    unit_dir_remove(&run);
    assert_int_equal(ce_session_enter(session, &env, &task, &err), 0);
    assert_int_equal(ce_session_check_primary(session, &task, &env, &err), row->refused ? -1 : 0);
    unit_env_free(&array);
    if (row->refused) {
        unit_holds(err.text, "192.0.2.1 for n1");
        unit_holds(err.text, "cluster-env addresses --write");
    }
}

/* In a network of its own, where lo is up and has 10.1.0.1 too. */
static int make_network(void)
{
    struct ifreq request = {.ifr_name = "lo:1"}, up = {.ifr_name = "lo"};
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a010001)};
    memcpy(&request.ifr_addr, &in, sizeof in);
    up.ifr_flags = IFF_UP;
    if (unshare(CLONE_NEWNET | (getuid() == 0 ? 0 : CLONE_NEWUSER)) < 0)
        return -1;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int rc = ioctl(fd, SIOCSIFFLAGS, &up) < 0 || ioctl(fd, SIOCSIFADDR, &request) < 0 ? -1 : 0;
    close(fd);
    return rc;
}

static int listen_on_primary(uint16_t port)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(0x0a010001)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return bind(fd, (struct sockaddr *)&in, sizeof in) < 0 || listen(fd, 1) < 0 ? -1 : fd;
}

enum { AS_EXPECTED = 0, NO_NETWORK = 2 };

/* How the first task of n1 finds port 7000; what is returned says where it went wrong. */
static int look_at_port(const struct ce_environ *env, bool taken)
{
    const struct ce_request request = {.on = true, .port = 7000};
    const struct ce_step_id id = {CE_STEP_TASKS, 12, 0};
    struct ce_task task;
    struct ce_error err;
    ce_auto(ce_session_close) struct ce_session *session =
        ce_session_open(dir.path, env, id, &request, &err);
    if (!session || ce_session_enter(session, env, &task, &err) < 0)
        return 3;
    if (ce_session_check_primary(session, &task, env, &err) < 0)
        return 4;
    if (session->notes.count != taken)
        return 5;
    return !taken || strstr(session->notes.line[0].text, "port 7000 on 10.1.0.1 is taken") ? 0 : 6;
}

static int try_port(bool taken)
{
    static const char *const place[] = {"SLURM_STEP_NODELIST=n[1-4]", "SLURM_STEP_NUM_TASKS=32",
                                        "SLURM_NODEID=0", "SLURM_PROCID=0", "SLURM_LOCALID=0",
                                        NULL};
    struct unit_env array = {.count = 0};
    if (make_network() < 0 || (taken && listen_on_primary(7000) < 0))
        return NO_NETWORK;
    unit_env_fill(&array, place);
    const struct ce_environ env = unit_environ(&array);
    int result = look_at_port(&env, taken);
    unit_env_free(&array);
    return result;
}

static int in_a_child(bool taken)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(try_port(taken));
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static int free_port, taken_port;

static void a_free_port_is_no_note(void **state)
{
    (void)state;
    assert_int_equal(free_port, AS_EXPECTED);
}

static void a_taken_port_is_a_note_and_no_refusal(void **state)
{
    (void)state;
    assert_int_equal(taken_port, AS_EXPECTED);
}

int main(void)
{
    dir = unit_dir_make();
    unit_dir_write(&dir, CE_FACTS_FILE, facts);
    unit_dir_write(&dir, CE_POLICY_FILE, policy);
    unit_dir_write(&dir, CE_BOOK_FILE, book);
    free_port = in_a_child(false);
    taken_port = in_a_child(true);
    const char *skip = free_port == NO_NETWORK ? "needs a network namespace" : NULL;
    UNIT_TABLE(values, value);
    UNIT_RULE(a_conf_file_of_the_user_keeps_nccl_as_it_is);
    UNIT_RULE(what_is_shared_is_set_before_the_tasks);
    UNIT_RULE(what_cannot_be_shared_is_noted);
    UNIT_RULE(without_texts_names_are_handed_on_with_one_note);
    UNIT_RULE(a_port_of_the_users_that_is_none_is_noted_once);
    UNIT_TABLE(lists, judges_lists);
    UNIT_TABLE(refusals, is_refused);
    UNIT_TABLE(differs, differ);
    UNIT_RULE(a_list_that_is_none_opens_no_session);
    UNIT_TABLE(gpus, hidden);
    UNIT_TABLE(stales, stale);
    UNIT_RULE_UNLESS(skip, a_free_port_is_no_note);
    UNIT_RULE_UNLESS(skip, a_taken_port_is_a_note_and_no_refusal);
    int failed = UNIT_RUN("session/session");
    unit_dir_remove(&dir);
    return failed;
}
