/* SPDX-License-Identifier: Apache-2.0 */
/* HCAs: what rdma= asks for, nodes whose rails differ, names that match nothing, the site's own
 * variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

#define OPTION_VARIABLE "SLURM_SPANK__SLURM_SPANK_OPTION_cluster_env_cluster_env"

/* ---------------------------------------------------------------- the nodes */

static void add_hca(char *text, size_t size, unsigned number, const char *layer, unsigned state)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length,
             "ib.mlx5_%u.type=MT4129\nib.mlx5_%u.pci=0000:%02x:00.0\nib.mlx5_%u.1.state=%u\n"
             "ib.mlx5_%u.1.link_layer=%s\nib.mlx5_%u.1.rate_mbps=400000\n",
             number, number, 16 + number, number, state, number, layer, number);
}

/* mlx5_1 on are rails, mlx5_0 is none. */
static void write_rails(const char *node, unsigned rails, bool up, const char *policy)
{
    char text[8192] = "";
    add_hca(text, sizeof text, 0, "ethernet", 4);
    for (unsigned i = 1; i <= rails; i++)
        add_hca(text, sizeof text, i, "infiniband", up ? 4 : 1);
    for (const struct host_machine *m = world_machines; m->node; m++)
        if (strcmp(m->node, node) == 0)
            world_write_more(m, text, policy);
}

static void write_all(unsigned rails, const char *policy)
{
    for (const struct host_machine *m = world_machines; m->node; m++)
        write_rails(m->node, rails, true, policy);
}

static struct host_result *run(struct recording *recording, const char *option)
{
    struct host_setup setup = world_setup(recording);
    recording_set_callbacks(recording, 1, &option);
    recording_set(recording, OPTION_VARIABLE, NULL);
    return host_run(&setup);
}

static void expect_on_all(const struct host_result *result, const char *name, const char *value)
{
    for (size_t n = 0; n < result->node_count; n++)
        for (size_t t = 0; t < result->nodes[n].task_count; t++)
            expect_variable(&result->nodes[n], t, name, value);
}

/* Every task of the nodes whose letter is y leaves. */
static void expect_refused(const struct host_result *result, const char *nodes, const char *says)
{
    size_t wanted[16] = {0};
    for (size_t n = 0; n < result->node_count; n++)
        if (nodes[n] == 'y')
            wanted[n] = result->nodes[n].recorded->task_count;
    expect_refusal(result, wanted, says);
}

/* ---------------------------------------------------------------- rdma= */

static void rails_are_written_in(struct recording *recording)
{
    write_all(4, "");
    struct host_result *result = run(recording, NULL);
    expect_launched(result);
    expect_recorded(result);
    expect_lines(result, 0);
    expect_on_all(result, "NCCL_IB_HCA", "^=mlx5_0");
    expect_on_all(result, "NCCL_IB_DISABLE", NULL);
    expect_on_all(result, "UCX_NET_DEVICES", NULL);
    expect_done(result);
}

static void rails_are_written(void **state)
{
    (void)state;
    world_each_series("srun-8x4", rails_are_written_in);
}

static void required_and_none_in(struct recording *recording)
{
    struct host_result *result = run(recording, "rdma=require");
    expect_refused(result, "yyyy", "rdma=require, but this node has no usable rail: no RDMA device");
    expect_done(result);
}

static void required_and_none(void **state)
{
    (void)state;
    world_each_series("srun-1x4", required_and_none_in);
    world_each_series("srun-8x4", required_and_none_in);
}

static void required_and_down_in(struct recording *recording)
{
    write_all(4, "");
    write_rails(recording->nodes[2].name, 4, false, "");
    struct host_result *result = run(recording, "rdma=require");
    expect_refused(result, "nnyn", "none of them up");
    expect_done(result);
}

static void required_and_down_on_one_node(void **state)
{
    (void)state;
    world_each_series("srun-8x4", required_and_down_in);
}

static void required_and_up_in(struct recording *recording)
{
    write_all(4, "");
    struct host_result *result = run(recording, "rdma=require");
    expect_launched(result);
    expect_recorded(result);
    expect_lines(result, 0);
    expect_on_all(result, "NCCL_IB_HCA", "^=mlx5_0");
    expect_on_all(result, "NCCL_IB_DISABLE", NULL);
    expect_done(result);
}

static void required_and_up(void **state)
{
    (void)state;
    world_each_series("srun-1x4", required_and_up_in);
}

static void required_in_a_script_in(struct recording *recording)
{
    struct host_result *result = run(recording, "rdma=require");
    expect_launched(result);
    expect_recorded(result);
    expect_lines(result, 0);
    expect_done(result);
}

static void required_in_a_script(void **state)
{
    (void)state;
    world_each_series("batch-4", required_in_a_script_in);
}

static void off_in(struct recording *recording)
{
    write_all(4, "tuning=all\n");
    struct host_result *result = run(recording, "rdma=off");
    expect_launched(result);
    expect_recorded(result);
    expect_lines(result, 0);
    expect_on_all(result, "NCCL_IB_DISABLE", "1");
    expect_on_all(result, "NCCL_IB_HCA", NULL);
    expect_on_all(result, "UCX_NET_DEVICES", "eth1");
    expect_on_all(result, "NVSHMEM_HCA_LIST", NULL);
    expect_done(result);
}

static void off(void **state)
{
    (void)state;
    world_each_series("srun-1x4", off_in);
}

static void all_libraries_in(struct recording *recording)
{
    write_all(2, "tuning=all\n");
    struct host_result *result = run(recording, NULL);
    expect_launched(result);
    expect_lines(result, 0);
    expect_on_all(result, "UCX_NET_DEVICES", "mlx5_1:1,mlx5_2:1");
    expect_on_all(result, "NVSHMEM_HCA_LIST", "mlx5_1:1,mlx5_2:1");
    expect_on_all(result, "OMPI_MCA_btl_tcp_if_include", "eth1");
    expect_on_all(result, "OMPI_MCA_oob_tcp_if_include", "eth1");
    expect_done(result);
}

static void all_libraries(void **state)
{
    (void)state;
    world_one_series("srun-1x4", all_libraries_in);
}

/* ---------------------------------------------------------------- nodes that differ */

/* What is expected: four rails, of the third node two. */
static void expect_two_of(const struct recording *recording, const char *differ)
{
    char policy[512];
    snprintf(policy, sizeof policy,
             "rails.count=4\nrails.differ=%s\nrails.general.count=4\n"
             "rails.general.link_layer=infiniband\nrails.group.0.names=%s\nrails.group.0.count=2\n",
             differ, recording->nodes[2].name);
    write_all(4, policy);
    memcpy(policy, "rails.count=2", 13);
    write_rails(recording->nodes[2].name, 2, true, policy);
}

static void differ_warn_in(struct recording *recording)
{
    expect_two_of(recording, "warn");
    struct host_result *result = run(recording, NULL);
    expect_launched(result);
    expect_line_of_rank_0(result, "the nodes have different rails: ");
    expect_line_of_rank_0(result, "NCCL may hang");
    expect_on_all(result, "NCCL_IB_HCA", "^=mlx5_0");
    expect_done(result);
}

static void differ_warn(void **state)
{
    (void)state;
    world_one_series("srun-8x4", differ_warn_in);
}

static void differ_common_in(struct recording *recording)
{
    expect_two_of(recording, "common");
    struct host_result *result = run(recording, NULL);
    expect_launched(result);
    expect_line_of_rank_0(result, "NCCL is given the first 2 of each");
    for (size_t n = 0; n < result->node_count; n++)
        expect_variable(&result->nodes[n], 0, "NCCL_IB_HCA",
                        n == 2 ? "^=mlx5_0" : "=mlx5_1,mlx5_2");
    expect_done(result);
}

static void differ_common(void **state)
{
    (void)state;
    world_one_series("srun-8x4", differ_common_in);
}

static void differ_refuse_in(struct recording *recording)
{
    expect_two_of(recording, "refuse");
    struct host_result *result = run(recording, NULL);
    expect_refused(result, "ynnn", "the nodes have different rails: ");
    expect_done(result);
    result = run(recording, "rdma=off");
    expect_launched(result);
    expect_lines(result, 0);
    expect_done(result);
}

static void differ_refuse(void **state)
{
    (void)state;
    world_one_series("srun-8x4", differ_refuse_in);
}

static const char fallen_short[] = "this node has 3 InfiniBand rails of 400 Gb/s, expected 4 rails";

static void fallen_short_warn_in(struct recording *recording)
{
    write_all(4, "rails.count=4\n");
    write_rails(recording->nodes[1].name, 3, true, "rails.count=4\n");
    struct host_result *result = run(recording, NULL);
    expect_launched(result);
    expect_lines(result, 1);
    expect(result->messages[0].node == 1 && strstr(result->messages[0].text, fallen_short),
           "the node does not say what it has");
    expect_done(result);
}

static void fallen_short_warn(void **state)
{
    (void)state;
    world_one_series("srun-8x4", fallen_short_warn_in);
}

static void fallen_short_refuse_in(struct recording *recording)
{
    write_all(4, "rails.count=4\nrails.differ=common\n");
    write_rails(recording->nodes[1].name, 3, true, "rails.count=4\nrails.differ=common\n");
    struct host_result *result = run(recording, NULL);
    expect_refused(result, "nynn", fallen_short);
    expect_done(result);
}

static void fallen_short_refuse(void **state)
{
    (void)state;
    world_one_series("srun-8x4", fallen_short_refuse_in);
}

/* ---------------------------------------------------------------- names that match nothing */

static void slip_in(struct recording *recording)
{
    write_all(4, "");
    recording_set(recording, "NCCL_IB_HCA", "^m1x5_0");
    struct host_result *result = run(recording, NULL);
    expect_launched(result);
    expect_on_all(result, "NCCL_IB_HCA", "^m1x5_0");
    expect_lines(result, result->node_count);
    for (size_t i = 0; i < result->message_count; i++)
        expect(strstr(result->messages[i].text,
                      "NCCL_IB_HCA=^m1x5_0: no HCA of this node is called so or begins with m1x5_0"),
               "the line does not say what is wrong");
    expect_done(result);
}

static void slip(void **state)
{
    (void)state;
    world_each_series("srun-8x4", slip_in);
}

static void only_one_node_lacks_it_in(struct recording *recording)
{
    write_all(4, "");
    write_rails(recording->nodes[3].name, 3, true, "");
    recording_set(recording, "NCCL_IB_HCA", "=mlx5_1,mlx5_4");
    struct host_result *result = run(recording, NULL);
    expect_launched(result);
    expect_lines(result, 1);
    expect(result->messages[0].node == 3 && strstr(result->messages[0].text, "is called mlx5_4"),
           "the node does not say what it lacks");
    expect_done(result);
}

static void only_one_node_lacks_it(void **state)
{
    (void)state;
    world_one_series("srun-8x4", only_one_node_lacks_it_in);
}

static void slip_in_a_file_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    world_write("alpha", "nccl.conf", "NCCL_SOCKET_IFNAME=bond0\n");
    char *path = must(strdup(world_path("alpha", "nccl.conf")));
    setup.nccl_conf = path;
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_on_all(result, "NCCL_SOCKET_IFNAME", NULL);
    expect_lines(result, result->node_count);
    expect(strstr(result->messages[0].text, "no interface of this node is called so or begins with "
                                            "bond0"),
           "the line does not say what is wrong");
    expect_done(result);
    free(path);
}

static void slip_in_a_file(void **state)
{
    (void)state;
    world_one_series("srun-1x4", slip_in_a_file_in);
}

/* ---------------------------------------------------------------- the site's own variables */

static void site_in(struct recording *recording)
{
    write_all(4, "variable.NCCL_IB_TC=41\nvariable.NCCL_IB_HCA=mlx5\nvariable.RANK=0\n");
    struct host_result *result = run(recording, NULL);
    expect_launched(result);
    expect_recorded(result);
    expect_on_all(result, "NCCL_IB_TC", "41");
    expect_on_all(result, "NCCL_IB_HCA", "mlx5");
    expect_line_of_rank_0(result, "RANK in the variables of cluster-env.conf is passed over");
    expect_done(result);
    write_all(4, "variable.NCCL_IB_TC=41\n");
    recording_set(recording, "NCCL_IB_TC", "106");
    result = run(recording, NULL);
    expect_launched(result);
    expect_lines(result, 0);
    expect_on_all(result, "NCCL_IB_TC", "106");
    expect_done(result);
}

static void site(void **state)
{
    (void)state;
    world_each_series("srun-8x4", site_in);
}

const struct plugin_case rails_cases[] = {
    {"each node's rails are written for NCCL", rails_are_written},
    {"rdma=require without a rail ends the step, with a line from each node", required_and_none},
    {"rdma=require with rails down on one node ends the step, with its line",
     required_and_down_on_one_node},
    {"rdma=require with rails runs", required_and_up},
    {"rdma=require in a batch script runs", required_in_a_script},
    {"rdma=off disables RDMA", off},
    {"tuning = \"all\" writes the rails for all libraries", all_libraries},
    {"nodes that differ: one line, the step runs", differ_warn},
    {"nodes that differ use what they have in common", differ_common},
    {"nodes that differ end the step with one line, but not without RDMA", differ_refuse},
    {"a node that falls short says so itself", fallen_short_warn},
    {"a node that falls short ends the step", fallen_short_refuse},
    {"a slip in the user's list of HCAs is told", slip},
    {"a node that lacks an HCA of the user's list says so", only_one_node_lacks_it},
    {"a slip in the site's nccl.conf is told", slip_in_a_file},
    {"the site's variables are written, and the user's win", site},
    {NULL, NULL},
};
