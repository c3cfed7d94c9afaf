/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/cluster.h"

#include <stdlib.h>
#include <string.h>

/* A site without a book is no fault; a book that knows only some of the nodes is out of date. */
static void note_missing(const struct ce_cluster *cluster, const struct ce_allocation *allocation,
                         struct ce_notes *notes)
{
    uint32_t first = 0;
    if (cluster->known == 0 || cluster->known == cluster->node_count)
        return;
    while (cluster->addresses[first].family)
        first++;
    ce_note(notes,
            "%u of %u nodes, the first of them %s, are not in the address book on the cluster "
            "network; their names are handed on; complete it with 'cluster-env addresses --write', "
            "then run 'cluster-env facts --write' as root on every node",
            cluster->node_count - cluster->known, cluster->node_count,
            ce_hostlist_name(allocation->nodes, first));
}

int ce_cluster_init(struct ce_cluster *cluster, const struct ce_allocation *allocation,
                    const struct ce_node *node, const struct ce_policy *policy,
                    const struct ce_rules *rules, const struct ce_book *book,
                    struct ce_notes *notes, struct ce_error *err)
{
    *cluster = (struct ce_cluster){.node_count = ce_allocation_node_count(allocation)};
    cluster->addresses = calloc(cluster->node_count, sizeof *cluster->addresses);
    if (!cluster->addresses)
        return ce_fail(err, "no memory");
    struct ce_error why;
    if (ce_rails_choose(node, &cluster->rails, err) < 0)
        return -1;
    /* As without a configuration: a text that is damaged ends no step. */
    if (ce_agreement_judge(&cluster->rails, policy, rules, allocation, &cluster->agreement, &why) <
        0)
        ce_note(notes, "%s", why.text);
    ce_network_choose(node, policy, book, &cluster->rails, &cluster->network);
    for (uint32_t i = 0; i < cluster->node_count; i++)
        cluster->known +=
            ce_network_lookup(&cluster->network, policy, book,
                              ce_hostlist_name(allocation->nodes, i), &cluster->addresses[i]);
    note_missing(cluster, allocation, notes);
    return 0;
}

void ce_cluster_free(struct ce_cluster *cluster)
{
    free(cluster->addresses);
    ce_rails_free(&cluster->rails);
    *cluster = (struct ce_cluster){.node_count = 0};
}

int ce_cluster_check_rails(const struct ce_cluster *cluster, const struct ce_request *request,
                           uint32_t node_rank, struct ce_error *err)
{
    const struct ce_rails *rails = &cluster->rails;
    const struct ce_agreement *agreement = &cluster->agreement;
    if (request->rdma == CE_RDMA_OFF)
        return 0;
    if (agreement->refused && agreement->own.text[0])
        return ce_fail(err, "%s", agreement->own.text);
    if (agreement->refused && node_rank == 0)
        return ce_fail(err, "%s", agreement->all.text);
    if (request->rdma != CE_RDMA_REQUIRE)
        return 0;
    if (agreement->no_rdma && node_rank == 0)
        return ce_fail(err, "rdma=require, but %s", agreement->all.text);
    if (rails->active > 0)
        return 0;
    return ce_fail(err, "rdma=require, but this node has no usable rail: %s%s; 'cluster-env "
                        "topology' there tells more", rails->reason,
                   rails->count ? ", none of them up" : "");
}

int ce_cluster_check(const struct ce_allocation *allocation, const struct ce_task *task,
                     struct ce_error *err)
{
    if (allocation->id.kind != CE_STEP_TASKS)
        return 0;
    if (allocation->order == CE_ORDER_UNKNOWN)
        return ce_fail(err,
                       "the node order of -m arbitrary did not arrive from srun (is the plugin "
                       "in its plugstack.conf too?); use another distribution, or "
                       "--cluster-env=off for this step");
    const char *expected = ce_hostlist_name(allocation->nodes, task->node_rank);
    if (task->node_name[0] && strcmp(expected, task->node_name) != 0)
        return ce_fail(err,
                       "node order does not check: node %u of the step is %s by its node list, "
                       "but this node is %s; use --cluster-env=off for this step",
                       task->node_rank, expected, task->node_name);
    return 0;
}
