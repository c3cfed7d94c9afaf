/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/variables.h"

#include <inttypes.h>
#include <string.h>

static void add_number(struct ce_text *out, uint32_t number)
{
    ce_text_addf(out, "%" PRIu32, number);
}

static void add_address(struct ce_text *out, const struct ce_address *address)
{
    char text[CE_ADDRESS_TEXT];
    ce_text_add(out, ce_address_format(address, text));
}

static const char *node_name(const struct ce_view *view, uint32_t rank)
{
    return ce_hostlist_name(view->allocation->nodes, rank);
}

/* Is it known which node comes first?  Not in a script whose steps have an order of their own. */
static bool is_in_rank_order(const struct ce_view *view)
{
    return view->allocation->order != CE_ORDER_JOB;
}

/* The address where the book has one, else the name. */
static void add_address_or_name(const struct ce_view *view, struct ce_text *out, uint32_t rank)
{
    const struct ce_address *address = &view->cluster->addresses[rank];
    if (address->family)
        add_address(out, address);
    else
        ce_text_add(out, node_name(view, rank));
}

/* Without any address in the book names are handed on for all nodes alike, this one included. */
static bool has_own_address(const struct ce_view *view)
{
    return view->cluster->known > 0 && view->cluster->network.address.family;
}

static void add_host_port(const struct ce_view *view, struct ce_text *out, uint32_t port)
{
    bool brackets = view->cluster->addresses[0].family == AF_INET6;
    ce_text_add(out, brackets ? "[" : "");
    add_address_or_name(view, out, 0);
    ce_text_addf(out, "%s:%" PRIu32, brackets ? "]" : "", port);
}

static void add_ip_list(const struct ce_view *view, struct ce_text *out, const char *separator)
{
    if (view->cluster->known != view->cluster->node_count || !is_in_rank_order(view))
        return;
    for (uint32_t i = 0; i < view->cluster->node_count && ce_text_ok(out); i++) {
        ce_text_add(out, i ? separator : "");
        add_address(out, &view->cluster->addresses[i]);
    }
}

static void num_nodes(const struct ce_view *view, struct ce_text *out)
{
    add_number(out, view->cluster->node_count);
}

static void node_rank(const struct ce_view *view, struct ce_text *out)
{
    add_number(out, view->task->node_rank);
}

static void node_addr(const struct ce_view *view, struct ce_text *out)
{
    if (has_own_address(view))
        add_address(out, &view->cluster->network.address);
    else
        ce_text_add(out, node_name(view, view->task->node_rank));
}

static void cluster_ip(const struct ce_view *view, struct ce_text *out)
{
    if (has_own_address(view))
        add_address(out, &view->cluster->network.address);
}

static void primary_addr(const struct ce_view *view, struct ce_text *out)
{
    if (is_in_rank_order(view))
        add_address_or_name(view, out, 0);
}

static void primary_ip(const struct ce_view *view, struct ce_text *out)
{
    if (is_in_rank_order(view))
        add_address(out, &view->cluster->addresses[0]);
}

static void primary_port(const struct ce_view *view, struct ce_text *out)
{
    add_number(out, view->port.number);
}

static void host_node_addr(const struct ce_view *view, struct ce_text *out)
{
    if (is_in_rank_order(view))
        add_host_port(view, out, view->port.number);
}

static void num_trainers(const struct ce_view *view, struct ce_text *out)
{
    uint32_t gpus = view->task->gpus_on_node;
    add_number(out, gpus ? gpus : view->task->local_tasks);
}

static void cluster_ips(const struct ce_view *view, struct ce_text *out)
{
    add_ip_list(view, out, ",");
}

static void cluster_nodes(const struct ce_view *view, struct ce_text *out)
{
    uint32_t count = is_in_rank_order(view) ? view->cluster->node_count : 0;
    for (uint32_t i = 0; i < count && ce_text_ok(out); i++) {
        ce_text_add(out, i ? "," : "");
        ce_text_add(out, node_name(view, i));
    }
}

static void task_rank(const struct ce_view *view, struct ce_text *out)
{
    add_number(out, view->task->rank);
}

static void world_size(const struct ce_view *view, struct ce_text *out)
{
    add_number(out, view->allocation->task_count);
}

static void local_rank(const struct ce_view *view, struct ce_text *out)
{
    add_number(out, view->task->local_rank);
}

static void local_world_size(const struct ce_view *view, struct ce_text *out)
{
    add_number(out, view->task->local_tasks);
}

static void jax_coordinator(const struct ce_view *view, struct ce_text *out)
{
    add_host_port(view, out, ce_port_next(view->policy, view->port.number));
}

static void skypilot_node_ips(const struct ce_view *view, struct ce_text *out)
{
    add_ip_list(view, out, "\n");
}

/* '=' is NCCL's "exactly these names": without it eth1 would also mean eth10. */
static void nccl_socket_ifname(const struct ce_view *view, struct ce_text *out)
{
    const struct ce_network *network = &view->cluster->network;
    for (size_t i = 0; i < network->socket_count; i++)
        ce_text_addf(out, "%s%s", i ? "," : "=", network->sockets[i]->name);
}

static void nccl_socket_family(const struct ce_view *view, struct ce_text *out)
{
    const struct ce_network *network = &view->cluster->network;
    if (network->socket_count > 0 && network->family == AF_INET6)
        ce_text_add(out, "AF_INET6");
}

static void socket_ifname(const struct ce_view *view, struct ce_text *out)
{
    const struct ce_network *network = &view->cluster->network;
    if (network->socket_count > 0)
        ce_text_add(out, network->interface->name);
}

/* ---------------------------------------------------------------- HCAs */

static bool is_without_rdma(const struct ce_view *view)
{
    return view->request->rdma == CE_RDMA_OFF || view->cluster->agreement.no_rdma;
}

static void nccl_ib_hca(const struct ce_view *view, struct ce_text *out)
{
    if (!is_without_rdma(view))
        ce_rails_nccl(&view->cluster->rails, view->cluster->agreement.limit, out);
}

static void nccl_ib_disable(const struct ce_view *view, struct ce_text *out)
{
    if (is_without_rdma(view))
        ce_text_add(out, "1");
}

static void nccl_ib_addr_family(const struct ce_view *view, struct ce_text *out)
{
    if (!is_without_rdma(view) && ce_rails_need_ipv6(&view->cluster->rails))
        ce_text_add(out, "AF_INET6");
}

static void add_rails(const struct ce_view *view, struct ce_text *out)
{
    const struct ce_rails *rails = &view->cluster->rails;
    size_t limit = view->cluster->agreement.limit;
    if (rails->verdict == CE_RAILS_CHOSEN || (limit && limit < rails->count))
        ce_rails_list(rails, limit, true, out);
}

/* UCX takes the nearest of what it is given; without RDMA it would take any interface. */
static void ucx_net_devices(const struct ce_view *view, struct ce_text *out)
{
    if (is_without_rdma(view) || view->cluster->rails.verdict == CE_RAILS_NONE)
        socket_ifname(view, out);
    else
        add_rails(view, out);
}

static void nvshmem_hca_list(const struct ce_view *view, struct ce_text *out)
{
    if (!is_without_rdma(view))
        add_rails(view, out);
}

const struct ce_variable ce_variables[] = {
    {"NUM_NODES", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, num_nodes, "node list",
     "nodes of the step (batch: of the job)"},
    {"NODE_RANK", CE_IDENTITY, CE_WHERE_NODE, CE_OWN, node_rank, "order of the nodes' first tasks",
     "index of this node, 0 is the primary"},
    {"NODE_ADDR", CE_IDENTITY, CE_WHERE_NODE, CE_OWN, node_addr, "node.facts and address book",
     "address of this node on the cluster network, or its name where the address is not known"},
    {"CLUSTER_IP", CE_IDENTITY, CE_WHERE_NODE, CE_SHARED, cluster_ip, "node.facts and address book",
     "IP address of this node on the cluster network"},
    {"PRIMARY_ADDR", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, primary_addr, "node list and address book",
     "address of node rank 0 on the cluster network, or its name where the address is not known"},
    {"MASTER_ADDR", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, primary_addr, "node list and address book",
     "the same as PRIMARY_ADDR, as PyTorch calls it"},
    {"PRIMARY_IP", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, primary_ip, "node list and address book",
     "IP address of node rank 0 on the cluster network"},
    {"PRIMARY_PORT", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, primary_port, NULL,
     "port for the rendezvous of this step"},
    {"MASTER_PORT", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, primary_port, NULL,
     "the same as PRIMARY_PORT, as PyTorch calls it; your own value wins"},
    {"HOST_NODE_ADDR", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, host_node_addr, "PRIMARY_ADDR and PRIMARY_PORT",
     "PRIMARY_ADDR:PRIMARY_PORT; an IPv6 address stands in brackets"},
    {"NUM_TRAINERS", CE_IDENTITY, CE_WHERE_ALL, CE_OWN, num_trainers, "SLURM_GPUS_ON_NODE",
     "GPUs of the step on this node; without GPUs its tasks on this node"},
    {"CLUSTER_IPS", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, cluster_ips, "node list and address book",
     "IP addresses of all nodes in rank order, separated by commas"},
    {"CLUSTER_NODES", CE_IDENTITY, CE_WHERE_ALL, CE_SHARED, cluster_nodes, "node list",
     "names of all nodes in rank order, separated by commas"},
    {"RANK", CE_IDENTITY, CE_WHERE_TASK, CE_OWN, task_rank, "SLURM_PROCID", "rank of this task"},
    {"WORLD_SIZE", CE_IDENTITY, CE_WHERE_TASK, CE_SHARED, world_size, "SLURM_STEP_NUM_TASKS",
     "tasks of the step"},
    {"LOCAL_RANK", CE_IDENTITY, CE_WHERE_TASK, CE_OWN, local_rank, "SLURM_LOCALID",
     "rank of this task among those of its node"},
    {"LOCAL_WORLD_SIZE", CE_IDENTITY, CE_WHERE_TASK, CE_OWN, local_world_size, "SLURM_GTIDS",
     "tasks of the step on this node"},
    {"GROUP_RANK", CE_IDENTITY, CE_WHERE_TASK, CE_OWN, node_rank, "order of the nodes' first tasks",
     "the same as NODE_RANK, as torchrun calls it"},
    {"PET_NNODES", CE_IDENTITY, CE_WHERE_TORCHRUN, CE_SHARED, num_nodes, "node list", "torchrun --nnodes"},
    {"PET_NODE_RANK", CE_IDENTITY, CE_WHERE_TORCHRUN, CE_OWN, node_rank, "order of the nodes' first tasks",
     "torchrun --node-rank"},
    {"PET_NPROC_PER_NODE", CE_IDENTITY, CE_WHERE_TORCHRUN, CE_OWN, num_trainers, "SLURM_GPUS_ON_NODE",
     "torchrun --nproc-per-node"},
    {"PET_MASTER_ADDR", CE_IDENTITY, CE_WHERE_TORCHRUN, CE_SHARED, primary_addr, "node list and address book",
     "torchrun --master-addr"},
    {"PET_MASTER_PORT", CE_IDENTITY, CE_WHERE_TORCHRUN, CE_SHARED, primary_port, NULL,
     "torchrun --master-port"},
    {"JAX_COORDINATOR_ADDRESS", CE_IDENTITY, CE_WHERE_NODE, CE_SHARED, jax_coordinator,
     "PRIMARY_ADDR and the port after PRIMARY_PORT", "where jax.distributed meets"},
    {"SKYPILOT_NUM_NODES", CE_IDENTITY, CE_WHERE_NODE, CE_SHARED, num_nodes, "node list",
     "NUM_NODES, as SkyPilot calls it"},
    {"SKYPILOT_NODE_RANK", CE_IDENTITY, CE_WHERE_NODE, CE_OWN, node_rank, "order of the nodes' first tasks",
     "NODE_RANK, as SkyPilot calls it"},
    {"SKYPILOT_NODE_IPS", CE_IDENTITY, CE_WHERE_NODE, CE_SHARED, skypilot_node_ips,
     "node list and address book", "CLUSTER_IPS, one a line, as SkyPilot has it"},
    {"SKYPILOT_NUM_GPUS_PER_NODE", CE_IDENTITY, CE_WHERE_NODE, CE_OWN, num_trainers, "SLURM_GPUS_ON_NODE",
     "NUM_TRAINERS, as SkyPilot calls it"},
    {"NCCL_SOCKET_IFNAME", CE_TUNING, CE_WHERE_ALL, CE_SHARED, nccl_socket_ifname, "node.facts",
     "the cluster interfaces that NCCL uses for sockets"},
    {"NCCL_SOCKET_FAMILY", CE_TUNING, CE_WHERE_ALL, CE_SHARED, nccl_socket_family, "node.facts",
     "AF_INET6 where the cluster network has IPv6 only"},
    {"GLOO_SOCKET_IFNAME", CE_TUNING, CE_WHERE_ALL, CE_SHARED, socket_ifname, "node.facts",
     "the cluster interface that Gloo uses"},
    {"TP_SOCKET_IFNAME", CE_TUNING, CE_WHERE_ALL, CE_SHARED, socket_ifname, "node.facts",
     "the cluster interface that TensorPipe uses"},
    {"NCCL_IB_HCA", CE_TUNING, CE_WHERE_ALL, CE_SHARED, nccl_ib_hca, "node.facts",
     "the rails: the HCAs that NCCL uses; not set where that is all of them"},
    {"NCCL_IB_ADDR_FAMILY", CE_TUNING, CE_WHERE_ALL, CE_SHARED, nccl_ib_addr_family, "node.facts",
     "AF_INET6 if the rails are RoCE with IPv6 addresses only; read by NCCL since 2.21"},
    {"NCCL_IB_DISABLE", CE_ASKED, CE_WHERE_ALL, CE_SHARED, nccl_ib_disable, "rdma=off",
     "1 with rdma=off, and where the nodes have no rails in common"},
    {"UCX_NET_DEVICES", CE_MORE_TUNING, CE_WHERE_ALL, CE_SHARED, ucx_net_devices, "node.facts",
     "the rails, as UCX writes them; without RDMA the cluster interface"},
    {"NVSHMEM_HCA_LIST", CE_MORE_TUNING, CE_WHERE_ALL, CE_SHARED, nvshmem_hca_list, "node.facts",
     "the rails, as NVSHMEM writes them"},
    {"OMPI_MCA_btl_tcp_if_include", CE_MORE_TUNING, CE_WHERE_ALL, CE_SHARED, socket_ifname,
     "node.facts", "the cluster interface that Open MPI uses for messages over TCP"},
    {"OMPI_MCA_oob_tcp_if_include", CE_MORE_TUNING, CE_WHERE_ALL, CE_SHARED, socket_ifname,
     "node.facts", "the cluster interface that Open MPI's daemons use"},
};
const size_t ce_variable_count = sizeof ce_variables / sizeof *ce_variables;

bool ce_variable_applies(const struct ce_variable *variable, const struct ce_view *view)
{
    const struct ce_allocation *allocation = view->allocation;
    bool step = allocation->id.kind == CE_STEP_TASKS;
    switch (variable->where) {
    case CE_WHERE_ALL:
        return true;
    case CE_WHERE_NODE:
        return step || view->cluster->node_count == 1;
    case CE_WHERE_TASK:
        return step;
    case CE_WHERE_TORCHRUN:
        return step && view->request->torchrun && ce_allocation_one_task_per_node(allocation);
    }
    return false;
}

const char *ce_variable_source(const struct ce_variable *variable, const struct ce_view *view)
{
    if (variable->value == num_trainers && view->task && view->task->gpus_on_node == 0)
        return "no GPUs: tasks on this node";
    if (variable->value == nccl_ib_disable && view->request->rdma != CE_RDMA_OFF)
        return "the nodes have no rails in common";
    return variable->source ? variable->source : view->port.source;
}

const char *ce_where_name(enum ce_where where)
{
    static const char *const names[] = {
        [CE_WHERE_ALL] = "srun steps, batch scripts, salloc",
        [CE_WHERE_NODE] = "srun steps; batch scripts of one-node jobs",
        [CE_WHERE_TASK] = "srun steps, except MPI launchers' daemons",
        [CE_WHERE_TORCHRUN] = "srun steps with one task per node",
    };
    return names[where];
}

const char *ce_variable_absence(const struct ce_variable *variable, const struct ce_view *view)
{
    bool of_rails = variable->value == nccl_ib_hca || variable->value == nvshmem_hca_list ||
                    variable->value == ucx_net_devices;
    if (variable->class == CE_ASKED)
        return "not asked for";
    if (of_rails)
        return is_without_rdma(view) ? "NCCL_IB_DISABLE is set" : view->cluster->rails.reason;
    if (variable->class == CE_IDENTITY && !is_in_rank_order(view))
        return "each step has its own order: Slurm places tasks by its topology";
    if (variable->value == nccl_ib_addr_family || variable->value == nccl_socket_family)
        return "not needed here";
    return "not known on this node";
}

const struct ce_variable *ce_variable_find(const char *name)
{
    for (size_t i = 0; i < ce_variable_count; i++)
        if (strcmp(ce_variables[i].name, name) == 0)
            return &ce_variables[i];
    return NULL;
}

const char *ce_class_name(enum ce_class class)
{
    static const char *const names[] = {
        [CE_IDENTITY] = "identity",
        [CE_TUNING] = "tuning",
        [CE_MORE_TUNING] = "tuning = \"all\"",
        [CE_ASKED] = "option",
        [CE_SITE] = "site",
    };
    return names[class];
}
