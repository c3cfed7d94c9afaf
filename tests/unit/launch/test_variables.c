/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/variables.h"

#include <ctype.h>

#include "base/text.h"
#include "scene.h"

#define BOOK4 "10.1.0.1 n1\n10.1.0.2 n2\n10.1.0.3 n3\n10.1.0.4 n4\n"
#define BOOK6 "fd00::1 n1\nfd00::2 n2\nfd00::3 n3\nfd00::4 n4\n"

/* ---------------------------------------------------------------- steps */

/* Rank 13 of srun -N4 --ntasks-per-node=8, on the second node. */
static const struct scene many = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n2", 1, 13, 5, 8, 8, 8},
    .address = "10.1.0.2/16", .book = BOOK4, .port = 61012,
};
/* srun -N4 torchrun: one task on each node. */
static const struct scene each = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 4,
    .task = {"n3", 2, 2, 0, 1, 8, 8},
    .address = "10.1.0.3/16", .book = BOOK4, .port = 61012,
};
static const struct scene each_without_torchrun = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 4,
    .task = {"n3", 2, 2, 0, 1, 8, 8},
    .address = "10.1.0.3/16", .book = BOOK4, .port = 61012, .torchrun_off = true,
};
static const struct scene alone = {
    .kind = CE_STEP_TASKS, .nodes = "n1", .tasks = 1,
    .task = {"n1", 0, 0, 0, 1, 0, UINT32_MAX},
    .address = "10.1.0.1/16", .book = BOOK4, .port = 61012,
};
static const struct scene one_node = {
    .kind = CE_STEP_TASKS, .nodes = "n1", .tasks = 8,
    .task = {"n1", 0, 3, 3, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK4, .port = 61012,
};
static const struct scene batch = {
    .kind = CE_STEP_BATCH, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n1", 0, 0, 0, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK4, .port = 61012,
};
static const struct scene batch_one_node = {
    .kind = CE_STEP_BATCH, .nodes = "n1", .tasks = 8,
    .task = {"n1", 0, 0, 0, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK4, .port = 61012,
};
static const struct scene shell = {
    .kind = CE_STEP_INTERACTIVE, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n1", 0, 0, 0, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK4, .port = 61012,
};
static const struct scene shell_one_node = {
    .kind = CE_STEP_INTERACTIVE, .nodes = "n1", .tasks = 1,
    .task = {"n1", 0, 0, 0, 1, 0, UINT32_MAX},
    .address = "10.1.0.1/16", .book = BOOK4, .port = 61012,
};
/* Its steps may have the nodes in another order. */
static const struct scene unordered = {
    .kind = CE_STEP_BATCH, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n1", 0, 0, 0, 8, 8, 8},
    .address = "10.1.0.1/16", .book = BOOK4, .port = 61012, .order = CE_ORDER_JOB,
};
/* The same as `many` where the cluster network has IPv6 only. */
static const struct scene ipv6 = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n2", 1, 13, 5, 8, 8, 8},
    .address = "fd00::2/64", .book = BOOK6, .port = 61012,
};
static const struct scene no_book = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n2", 1, 13, 5, 8, 8, 8},
    .address = "10.1.0.2/16", .book = NULL, .port = 61012,
};
static const struct scene no_facts = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n2", 1, 13, 5, 8, 8, 8},
    .address = NULL, .book = BOOK4, .port = 61012,
};
/* The book knows this node and the first, but not all. */
static const struct scene half_a_book = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n2", 1, 13, 5, 8, 8, 8},
    .address = "10.1.0.2/16", .book = "10.1.0.1 n1\n10.1.0.2 n2\n", .port = 61012,
};
/* The book knows others, but not the first. */
static const struct scene book_without_primary = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n2", 1, 13, 5, 8, 8, 8},
    .address = "10.1.0.2/16", .book = "10.1.0.2 n2\n10.1.0.3 n3\n", .port = 61012,
};
static const struct scene last_port = {
    .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 32,
    .task = {"n2", 1, 13, 5, 8, 8, 8},
    .address = "10.1.0.2/16", .book = BOOK4, .port = 65535,
};

/* ---------------------------------------------------------------- where each variable is written */

static const struct scene *const columns[] = {
    &many, &each, &each_without_torchrun, &alone, &one_node,
    &batch, &batch_one_node, &shell, &shell_one_node,
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* A letter for each column, y: the variable is written there. */
#define EVERYWHERE "yyyyy" "yyyy"
#define PER_NODE   "yyyyy" "nyny"
#define PER_TASK   "yyyyy" "nnnn"
#define TORCHRUN   "nynyn" "nnnn"

static const struct where_row {
    const char *name, *columns;
} wheres[] = {
    {"NUM_NODES", EVERYWHERE},
    {"NODE_RANK", PER_NODE},
    {"NODE_ADDR", PER_NODE},
    {"CLUSTER_IP", PER_NODE},
    {"PRIMARY_ADDR", EVERYWHERE},
    {"MASTER_ADDR", EVERYWHERE},
    {"PRIMARY_IP", EVERYWHERE},
    {"PRIMARY_PORT", EVERYWHERE},
    {"MASTER_PORT", EVERYWHERE},
    {"HOST_NODE_ADDR", EVERYWHERE},
    {"NUM_TRAINERS", EVERYWHERE},
    {"CLUSTER_IPS", EVERYWHERE},
    {"CLUSTER_NODES", EVERYWHERE},
    {"RANK", PER_TASK},
    {"WORLD_SIZE", PER_TASK},
    {"LOCAL_RANK", PER_TASK},
    {"LOCAL_WORLD_SIZE", PER_TASK},
    {"GROUP_RANK", PER_TASK},
    {"PET_NNODES", TORCHRUN},
    {"PET_NODE_RANK", TORCHRUN},
    {"PET_NPROC_PER_NODE", TORCHRUN},
    {"PET_MASTER_ADDR", TORCHRUN},
    {"PET_MASTER_PORT", TORCHRUN},
    {"JAX_COORDINATOR_ADDRESS", PER_NODE},
    {"SKYPILOT_NUM_NODES", PER_NODE},
    {"SKYPILOT_NODE_RANK", PER_NODE},
    {"SKYPILOT_NODE_IPS", PER_NODE},
    {"SKYPILOT_NUM_GPUS_PER_NODE", PER_NODE},
    {"NCCL_SOCKET_IFNAME", EVERYWHERE},
    {"NCCL_SOCKET_FAMILY", EVERYWHERE},
    {"GLOO_SOCKET_IFNAME", EVERYWHERE},
    {"TP_SOCKET_IFNAME", EVERYWHERE},
    {"NCCL_IB_HCA", EVERYWHERE},
    {"NCCL_IB_ADDR_FAMILY", EVERYWHERE},
    {"NCCL_IB_DISABLE", EVERYWHERE},
    {"UCX_NET_DEVICES", EVERYWHERE},
    {"NVSHMEM_HCA_LIST", EVERYWHERE},
    {"OMPI_MCA_btl_tcp_if_include", EVERYWHERE},
    {"OMPI_MCA_oob_tcp_if_include", EVERYWHERE},
};

static void is_written(void **state)
{
    const struct where_row *row = *state;
    char found[COLUMNS + 1] = "";
    for (int i = 0; i < COLUMNS; i++) {
        struct stage stage;
        stage_set(&stage, columns[i]);
        found[i] = ce_variable_applies(find_variable(row->name), &stage.view) ? 'y' : 'n';
        stage_clear(&stage);
    }
    assert_string_equal(found, row->columns);
}

static void every_variable_has_a_line_in_this_test(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_variable_count; i++) {
        size_t lines = 0;
        for (size_t j = 0; j < UNIT_COUNT(wheres); j++)
            lines += strcmp(wheres[j].name, ce_variables[i].name) == 0;
        if (lines != 1)
            fail_msg("%s has %zu lines", ce_variables[i].name, lines);
    }
    assert_int_equal(ce_variable_count, UNIT_COUNT(wheres));
}

/* ---------------------------------------------------------------- values */

static const struct value_row {
    const char *name, *variable;
    const struct scene *scene;
    const char *value; /* "": there is none to write */
} values[] = {
    {"num_nodes_is_the_steps", "NUM_NODES", &many, "4"},
    {"num_nodes_of_a_script_is_the_jobs", "NUM_NODES", &batch, "4"},
    {"num_nodes_needs_no_order", "NUM_NODES", &unordered, "4"},
    {"a_port_needs_no_order", "PRIMARY_PORT", &unordered, "61012"},
    {"without_an_order_there_is_no_primary", "PRIMARY_ADDR", &unordered, ""},
    {"without_an_order_there_is_no_master_addr", "MASTER_ADDR", &unordered, ""},
    {"without_an_order_there_is_no_primary_ip", "PRIMARY_IP", &unordered, ""},
    {"without_an_order_there_is_no_host_node_addr", "HOST_NODE_ADDR", &unordered, ""},
    {"without_an_order_there_is_no_list_of_addresses", "CLUSTER_IPS", &unordered, ""},
    {"without_an_order_there_is_no_list_of_names", "CLUSTER_NODES", &unordered, ""},
    {"node_rank_is_this_nodes", "NODE_RANK", &many, "1"},
    {"node_addr_is_this_nodes", "NODE_ADDR", &many, "10.1.0.2"},
    {"node_addr_is_a_name_without_a_book", "NODE_ADDR", &no_book, "n2"},
    {"node_addr_is_a_name_without_facts", "NODE_ADDR", &no_facts, "n2"},
    {"node_addr_is_an_ipv6_address_as_it_is", "NODE_ADDR", &ipv6, "fd00::2"},
    {"cluster_ip_is_this_nodes", "CLUSTER_IP", &many, "10.1.0.2"},
    {"cluster_ip_is_never_a_name", "CLUSTER_IP", &no_book, ""},
    {"cluster_ip_is_never_guessed", "CLUSTER_IP", &no_facts, ""},
    {"primary_addr_is_rank_zeros", "PRIMARY_ADDR", &many, "10.1.0.1"},
    {"primary_addr_is_a_name_without_a_book", "PRIMARY_ADDR", &no_book, "n1"},
    {"primary_addr_is_a_name_where_the_book_lacks_it", "PRIMARY_ADDR", &book_without_primary,
     "n1"},
    {"primary_addr_of_ipv6_has_no_brackets", "PRIMARY_ADDR", &ipv6, "fd00::1"},
    {"master_addr_is_the_same", "MASTER_ADDR", &many, "10.1.0.1"},
    {"primary_ip_is_rank_zeros", "PRIMARY_IP", &many, "10.1.0.1"},
    {"primary_ip_is_never_a_name", "PRIMARY_IP", &no_book, ""},
    {"primary_ip_is_never_a_name_where_the_book_lacks_it", "PRIMARY_IP", &book_without_primary,
     ""},
    {"primary_port_is_the_steps", "PRIMARY_PORT", &many, "61012"},
    {"master_port_is_the_same", "MASTER_PORT", &many, "61012"},
    {"host_node_addr_is_address_and_port", "HOST_NODE_ADDR", &many, "10.1.0.1:61012"},
    {"host_node_addr_may_be_a_name", "HOST_NODE_ADDR", &no_book, "n1:61012"},
    {"host_node_addr_of_ipv6_has_brackets", "HOST_NODE_ADDR", &ipv6, "[fd00::1]:61012"},
    {"trainers_are_the_nodes_gpus", "NUM_TRAINERS", &each, "8"},
    {"trainers_are_tasks_without_gpus", "NUM_TRAINERS", &alone, "1"},
    {"cluster_ips_come_in_rank_order", "CLUSTER_IPS", &many, "10.1.0.1,10.1.0.2,10.1.0.3,10.1.0.4"},
    {"cluster_ips_of_ipv6_have_no_brackets", "CLUSTER_IPS", &ipv6,
     "fd00::1,fd00::2,fd00::3,fd00::4"},
    {"cluster_ips_are_all_or_none", "CLUSTER_IPS", &half_a_book, ""},
    {"cluster_ips_are_never_names", "CLUSTER_IPS", &no_book, ""},
    {"cluster_nodes_come_in_rank_order", "CLUSTER_NODES", &many, "n1,n2,n3,n4"},
    {"cluster_nodes_need_no_book", "CLUSTER_NODES", &no_book, "n1,n2,n3,n4"},
    {"rank_is_the_tasks", "RANK", &many, "13"},
    {"world_size_is_all_tasks", "WORLD_SIZE", &many, "32"},
    {"local_rank_is_the_tasks", "LOCAL_RANK", &many, "5"},
    {"local_world_size_is_the_tasks_of_the_node", "LOCAL_WORLD_SIZE", &many, "8"},
    {"group_rank_is_the_nodes", "GROUP_RANK", &many, "1"},
    {"torchrun_gets_the_nodes", "PET_NNODES", &each, "4"},
    {"torchrun_gets_its_rank", "PET_NODE_RANK", &each, "2"},
    {"torchrun_starts_a_process_for_each_gpu", "PET_NPROC_PER_NODE", &each, "8"},
    {"torchrun_gets_the_primary", "PET_MASTER_ADDR", &each, "10.1.0.1"},
    {"torchrun_gets_the_port", "PET_MASTER_PORT", &each, "61012"},
    {"jax_meets_at_the_next_port", "JAX_COORDINATOR_ADDRESS", &many, "10.1.0.1:61013"},
    {"jax_wraps_in_the_window", "JAX_COORDINATOR_ADDRESS", &last_port, "10.1.0.1:61000"},
    {"jax_of_ipv6_has_brackets", "JAX_COORDINATOR_ADDRESS", &ipv6, "[fd00::1]:61013"},
    {"skypilot_gets_the_nodes", "SKYPILOT_NUM_NODES", &many, "4"},
    {"skypilot_gets_its_rank", "SKYPILOT_NODE_RANK", &many, "1"},
    {"skypilot_gets_an_address_a_line", "SKYPILOT_NODE_IPS", &many,
     "10.1.0.1\n10.1.0.2\n10.1.0.3\n10.1.0.4"},
    {"skypilot_gets_all_addresses_or_none", "SKYPILOT_NODE_IPS", &half_a_book, ""},
    {"skypilot_gets_the_gpus", "SKYPILOT_NUM_GPUS_PER_NODE", &many, "8"},
    {"nccl_gets_the_exact_name", "NCCL_SOCKET_IFNAME", &many, "=eth1"},
    {"nccl_gets_no_name_without_facts", "NCCL_SOCKET_IFNAME", &no_facts, ""},
    {"nccl_needs_no_family_for_ipv4", "NCCL_SOCKET_FAMILY", &many, ""},
    {"nccl_is_told_of_ipv6", "NCCL_SOCKET_FAMILY", &ipv6, "AF_INET6"},
    {"gloo_gets_the_bare_name", "GLOO_SOCKET_IFNAME", &many, "eth1"},
    {"gloo_gets_no_name_without_facts", "GLOO_SOCKET_IFNAME", &no_facts, ""},
    {"tensorpipe_gets_the_bare_name", "TP_SOCKET_IFNAME", &many, "eth1"},
};

static void has_the_value(const struct ce_view *view, const char *name, const char *value)
{
    ce_autotext struct ce_text out = CE_TEXT(CE_VALUE_MAX);
    find_variable(name)->value(view, &out);
    assert_true(ce_text_ok(&out));
    assert_string_equal(ce_text_string(&out), value);
}

static void value(void **state)
{
    const struct value_row *row = *state;
    struct stage stage;
    stage_set(&stage, row->scene);
    has_the_value(&stage.view, row->variable, row->value);
    stage_clear(&stage);
}

/* ---------------------------------------------------------------- rails */

static const struct rails_row {
    const char *name, *variable;
    unsigned rails;
    bool kept_out; /* another device is */
    enum ce_rdma rdma;
    struct ce_agreement agreement;
    const char *value;
    const char *absence; /* why there is none; NULL: there is one */
} rails_rows[] = {
    {"nccl_gets_what_is_kept_out", "NCCL_IB_HCA", 4, true, CE_RDMA_AUTO, {0}, "^=mlx5_0", NULL},
    {"nccl_gets_no_list_of_all", "NCCL_IB_HCA", 4, false, CE_RDMA_AUTO, {0}, "",
     "every RDMA device is a rail"},
    {"nccl_gets_no_list_without_devices", "NCCL_IB_HCA", 0, false, CE_RDMA_AUTO, {0}, "",
     "no RDMA device"},
    {"nccl_gets_the_rails_that_nodes_have_in_common", "NCCL_IB_HCA", 4, true, CE_RDMA_AUTO,
     {.limit = 2}, "=mlx5_1,mlx5_2", NULL},
    {"of_all_nccl_gets_those_in_common_too", "NCCL_IB_HCA", 4, false, CE_RDMA_AUTO, {.limit = 2},
     "=mlx5_1,mlx5_2", NULL},
    {"nccl_gets_no_list_without_rdma", "NCCL_IB_HCA", 4, true, CE_RDMA_OFF, {0}, "",
     "NCCL_IB_DISABLE is set"},
    {"nccl_gets_no_list_without_common_rails", "NCCL_IB_HCA", 4, true, CE_RDMA_AUTO,
     {.limit = 4, .no_rdma = true}, "", "NCCL_IB_DISABLE is set"},
    {"required_rails_are_listed_as_others", "NCCL_IB_HCA", 4, true, CE_RDMA_REQUIRE, {0}, "^=mlx5_0",
     NULL},
    {"rdma_is_not_disabled", "NCCL_IB_DISABLE", 4, true, CE_RDMA_AUTO, {0}, "", "not asked for"},
    {"required_rdma_is_not_disabled", "NCCL_IB_DISABLE", 4, true, CE_RDMA_REQUIRE, {0}, "",
     "not asked for"},
    {"rdma_is_disabled_where_that_was_asked_for", "NCCL_IB_DISABLE", 4, true, CE_RDMA_OFF, {0}, "1",
     NULL},
    {"rdma_is_disabled_where_nothing_is_to_be_disabled", "NCCL_IB_DISABLE", 0, false, CE_RDMA_OFF,
     {0}, "1", NULL},
    {"rdma_is_disabled_without_common_rails", "NCCL_IB_DISABLE", 4, true, CE_RDMA_AUTO,
     {.limit = 4, .no_rdma = true}, "1", NULL},
    {"ucx_gets_devices_with_ports", "UCX_NET_DEVICES", 2, true, CE_RDMA_AUTO, {0},
     "mlx5_1:1,mlx5_2:1", NULL},
    {"ucx_gets_no_list_of_all", "UCX_NET_DEVICES", 2, false, CE_RDMA_AUTO, {0}, "",
     "every RDMA device is a rail"},
    {"ucx_gets_the_rails_that_nodes_have_in_common", "UCX_NET_DEVICES", 2, false, CE_RDMA_AUTO,
     {.limit = 1}, "mlx5_1:1", NULL},
    {"ucx_gets_the_interface_without_rdma", "UCX_NET_DEVICES", 2, true, CE_RDMA_OFF, {0}, "eth1",
     NULL},
    {"ucx_gets_the_interface_without_common_rails", "UCX_NET_DEVICES", 2, true, CE_RDMA_AUTO,
     {.limit = 2, .no_rdma = true}, "eth1", NULL},
    {"ucx_gets_the_interface_without_devices", "UCX_NET_DEVICES", 0, false, CE_RDMA_AUTO, {0},
     "eth1", NULL},
    {"nvshmem_gets_devices_with_ports", "NVSHMEM_HCA_LIST", 2, true, CE_RDMA_AUTO, {0},
     "mlx5_1:1,mlx5_2:1", NULL},
    {"nvshmem_gets_no_list_of_all", "NVSHMEM_HCA_LIST", 2, false, CE_RDMA_AUTO, {0}, "",
     "every RDMA device is a rail"},
    {"nvshmem_gets_no_list_without_rdma", "NVSHMEM_HCA_LIST", 2, true, CE_RDMA_OFF, {0}, "",
     "NCCL_IB_DISABLE is set"},
    {"open_mpi_gets_the_bare_name", "OMPI_MCA_btl_tcp_if_include", 2, true, CE_RDMA_AUTO, {0},
     "eth1", NULL},
    {"open_mpis_daemons_get_it_too", "OMPI_MCA_oob_tcp_if_include", 2, true, CE_RDMA_AUTO, {0},
     "eth1", NULL},
    {"nccl_needs_no_family_for_infiniband", "NCCL_IB_ADDR_FAMILY", 2, true, CE_RDMA_AUTO, {0}, "",
     "not needed here"},
};

static void value_with_rails(void **state)
{
    const struct rails_row *row = *state;
    struct stage stage;
    stage_set(&stage, &many);
    stage_add_rails(&stage, row->rails, row->kept_out);
    stage.request.rdma = row->rdma;
    stage.cluster.agreement = row->agreement;
    has_the_value(&stage.view, row->variable, row->value);
    if (row->absence)
        unit_holds(ce_variable_absence(find_variable(row->variable), &stage.view), row->absence);
    stage_clear(&stage);
}

static void nccl_is_told_of_rails_with_ipv6_unless_rdma_is_off(void **state)
{
    struct stage stage;
    (void)state;
    stage_set(&stage, &many);
    scene_add_hca(stage.node, 1, CE_LINK_ETHERNET);
    struct ce_hca_port *port = &stage.node->hcas[0].ports[0];
    port->gids[port->gid_count++] = (struct ce_gid){.type = CE_GID_ROCE_V2};
    assert_int_equal(ce_address_parse("fd02::1", &port->gids[0].address), 0);
    stage_add_rails(&stage, 0, false);
    has_the_value(&stage.view, "NCCL_IB_ADDR_FAMILY", "AF_INET6");
    stage.request.rdma = CE_RDMA_OFF;
    has_the_value(&stage.view, "NCCL_IB_ADDR_FAMILY", "");
    stage_clear(&stage);
}

static void a_providers_devices_are_in_no_list(void **state)
{
    static const char *const names[] = {"NCCL_IB_HCA", "UCX_NET_DEVICES", "NVSHMEM_HCA_LIST"};
    struct stage stage;
    (void)state;
    stage_set(&stage, &many);
    scene_add_hca(stage.node, 1, CE_LINK_ETHERNET);
    strcpy(stage.node->hcas[0].driver, "efa");
    stage_add_rails(&stage, 0, false);
    for (size_t i = 0; i < UNIT_COUNT(names); i++) {
        has_the_value(&stage.view, names[i], "");
        unit_holds(ce_variable_absence(find_variable(names[i]), &stage.view), "EFA");
    }
    stage_clear(&stage);
}

static const struct source_row {
    const char *name, *variable;
    const struct scene *scene;
    const char *source;
} sources[] = {
    {"the_trainers_are_counted_by_gpus", "NUM_TRAINERS", &each, "SLURM_GPUS_ON_NODE"},
    {"without_gpus_the_trainers_are_counted_by_tasks", "NUM_TRAINERS", &alone,
     "no GPUs: tasks on this node"},
    {"torchrun_processes_are_counted_by_gpus", "PET_NPROC_PER_NODE", &each, "SLURM_GPUS_ON_NODE"},
    {"without_gpus_torchrun_processes_are_counted_by_tasks", "PET_NPROC_PER_NODE", &alone,
     "no GPUs: tasks on this node"},
    {"skypilots_gpus_are_counted_by_gpus", "SKYPILOT_NUM_GPUS_PER_NODE", &many,
     "SLURM_GPUS_ON_NODE"},
    {"without_gpus_skypilots_are_counted_by_tasks", "SKYPILOT_NUM_GPUS_PER_NODE",
     &shell_one_node, "no GPUs: tasks on this node"},
    {"gpus_change_no_other_source", "LOCAL_WORLD_SIZE", &alone, "SLURM_GTIDS"},
};

static void source(void **state)
{
    const struct source_row *row = *state;
    struct stage stage;
    stage_set(&stage, row->scene);
    assert_string_equal(ce_variable_source(find_variable(row->variable), &stage.view), row->source);
    stage_clear(&stage);
}

static void who_disabled_rdma_is_told(void **state)
{
    const struct ce_variable *variable = find_variable("NCCL_IB_DISABLE");
    struct stage stage;
    (void)state;
    stage_set(&stage, &many);
    stage.cluster.agreement.no_rdma = true;
    assert_string_equal(ce_variable_source(variable, &stage.view),
                        "the nodes have no rails in common");
    stage.request.rdma = CE_RDMA_OFF;
    assert_string_equal(ce_variable_source(variable, &stage.view), "rdma=off");
    stage_clear(&stage);
}

static void the_source_of_a_port_is_the_ports(void **state)
{
    struct stage stage;
    (void)state;
    stage_set(&stage, &many);
    stage.view.port.source = "the step's own";
    assert_string_equal(ce_variable_source(find_variable("MASTER_PORT"), &stage.view),
                        "the step's own");
    stage_clear(&stage);
}

static void several_interfaces_are_names_for_nccl_and_one_for_the_others(void **state)
{
    const struct ce_netif cards[] = {{.name = "eth1"}, {.name = "eth2"}, {.name = "eth3"}};
    struct stage stage;
    (void)state;
    stage_set(&stage, &many);
    struct ce_network *network = &stage.cluster.network;
    network->interface = &cards[1];
    network->socket_count = UNIT_COUNT(cards);
    for (size_t i = 0; i < UNIT_COUNT(cards); i++)
        network->sockets[i] = &cards[i];
    has_the_value(&stage.view, "NCCL_SOCKET_IFNAME", "=eth1,eth2,eth3");
    has_the_value(&stage.view, "GLOO_SOCKET_IFNAME", "eth2");
    has_the_value(&stage.view, "TP_SOCKET_IFNAME", "eth2");
    stage_clear(&stage);
}

/* What user_init sets for all tasks of a node must be what each task would. */
static void a_shared_value_is_the_same_without_a_task(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_variable_count; i++)
        for (int j = 0; j < COLUMNS && ce_variables[i].scope == CE_SHARED; j++) {
            ce_autotext struct ce_text with = CE_TEXT(CE_VALUE_MAX), without = CE_TEXT(CE_VALUE_MAX);
            struct stage stage;
            stage_set(&stage, columns[j]);
            bool applies = ce_variable_applies(&ce_variables[i], &stage.view);
            ce_variables[i].value(&stage.view, &with);
            stage.view.task = NULL;
            assert_int_equal(ce_variable_applies(&ce_variables[i], &stage.view), applies);
            ce_variables[i].value(&stage.view, &without);
            stage_clear(&stage);
            assert_string_equal(ce_text_string(&with), ce_text_string(&without));
        }
}

/* Two tasks on two nodes: what differs between them cannot be shared. */
static void what_differs_between_tasks_is_their_own(void **state)
{
    static const struct scene other = {
        .kind = CE_STEP_TASKS, .nodes = "n[1-4]", .tasks = 32,
        .task = {"n2", 3, 14, 6, 7, 4, 4},
        .address = "10.1.0.2/16", .book = BOOK4, .port = 61012,
    };
    (void)state;
    for (size_t i = 0; i < ce_variable_count; i++) {
        ce_autotext struct ce_text one = CE_TEXT(CE_VALUE_MAX), two = CE_TEXT(CE_VALUE_MAX);
        struct stage stage;
        stage_set(&stage, &many);
        ce_variables[i].value(&stage.view, &one);
        stage_clear(&stage);
        stage_set(&stage, &other);
        ce_variables[i].value(&stage.view, &two);
        stage_clear(&stage);
        if (strcmp(ce_text_string(&one), ce_text_string(&two)) != 0)
            assert_int_equal(ce_variables[i].scope, CE_OWN);
    }
}

static void an_interface_that_is_down_gives_no_name(void **state)
{
    static const char *const names[] = {"NCCL_SOCKET_IFNAME", "NCCL_SOCKET_FAMILY",
                                        "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME",
                                        "UCX_NET_DEVICES", "OMPI_MCA_btl_tcp_if_include",
                                        "OMPI_MCA_oob_tcp_if_include"};
    struct stage stage;
    (void)state;
    stage_set(&stage, &ipv6);
    stage.cluster.network.socket_count = 0;
    for (size_t i = 0; i < UNIT_COUNT(names); i++)
        has_the_value(&stage.view, names[i], "");
    stage_clear(&stage);
}

/* ---------------------------------------------------------------- the table itself */

static void every_variable_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_variable_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(ce_variables[i].name, ce_variables[j].name);
}

static void every_variable_has_a_name_that_shells_take(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_variable_count; i++) {
        const char *name = ce_variables[i].name;
        assert_true(ce_rules_is_name(name));
        assert_true(isupper((unsigned char)name[0]));
    }
}

static void every_variable_is_documented_in_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_variable_count; i++) {
        const struct ce_variable *variable = &ce_variables[i];
        if (!variable->doc || strlen(variable->doc) < 10 || strchr(variable->doc, '\n') ||
            variable->doc[strlen(variable->doc) - 1] == '.')
            fail_msg("%s is not documented in one phrase", variable->name);
        assert_true(ce_where_name(variable->where)[0]);
        assert_true(ce_class_name(variable->class)[0]);
    }
}

static void every_class_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = CE_IDENTITY; i <= CE_SITE; i++)
        for (int j = CE_IDENTITY; j < i; j++)
            assert_string_not_equal(ce_class_name((enum ce_class)i), ce_class_name((enum ce_class)j));
}

static void only_ports_have_a_source_of_their_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_variable_count; i++) {
        const struct ce_variable *variable = &ce_variables[i];
        size_t length = strlen(variable->name);
        bool port = length > 5 && strcmp(variable->name + length - 5, "_PORT") == 0;
        assert_int_equal(variable->source == NULL, port);
    }
}

int main(void)
{
    UNIT_TABLE(wheres, is_written);
    UNIT_RULE(every_variable_has_a_line_in_this_test);
    UNIT_TABLE(values, value);
    UNIT_TABLE(rails_rows, value_with_rails);
    UNIT_RULE(nccl_is_told_of_rails_with_ipv6_unless_rdma_is_off);
    UNIT_RULE(a_providers_devices_are_in_no_list);
    UNIT_TABLE(sources, source);
    UNIT_RULE(who_disabled_rdma_is_told);
    UNIT_RULE(the_source_of_a_port_is_the_ports);
    UNIT_RULE(several_interfaces_are_names_for_nccl_and_one_for_the_others);
    UNIT_RULE(a_shared_value_is_the_same_without_a_task);
    UNIT_RULE(what_differs_between_tasks_is_their_own);
    UNIT_RULE(an_interface_that_is_down_gives_no_name);
    UNIT_RULE(every_variable_has_a_name_of_its_own);
    UNIT_RULE(every_variable_has_a_name_that_shells_take);
    UNIT_RULE(every_variable_is_documented_in_one_line);
    UNIT_RULE(every_class_has_a_name_of_its_own);
    UNIT_RULE(only_ports_have_a_source_of_their_own);
    return UNIT_RUN("launch/variables");
}
