/* SPDX-License-Identifier: Apache-2.0 */
/* Everything about the step that is the same for its tasks on this node: the nodes in rank order,
 * their addresses, this node's interfaces.  Pure. */
#ifndef CE_LAUNCH_CLUSTER_H
#define CE_LAUNCH_CLUSTER_H

#include "launch/agreement.h"
#include "launch/network.h"
#include "model/allocation.h"
#include "model/notes.h"
#include "model/request.h"

struct ce_cluster {
    uint32_t node_count;
    struct ce_address *addresses; /* by node rank; family 0: not in the book */
    uint32_t known;               /* how many are in the book */
    struct ce_rails rails;        /* of this node */
    struct ce_agreement agreement; /* of all nodes, about their rails */
    struct ce_network network;    /* of this node */
};

/* node, rules and book may be NULL.  Nodes missing from a book that knows others of the step are
 * noted, by name, and rules that cannot be read.  0; -1 for no memory.  Free with ce_cluster_free();
 * it points into node. */
int ce_cluster_init(struct ce_cluster *cluster, const struct ce_allocation *allocation,
                    const struct ce_node *node, const struct ce_policy *policy,
                    const struct ce_rules *rules, const struct ce_book *book,
                    struct ce_notes *notes, struct ce_error *err);
void ce_cluster_free(struct ce_cluster *cluster);

/* Why this step must not run on this node's rails: rdma=require and none is up, or rails that differ
 * where the configuration says refuse.  What all nodes know alike only node rank 0 fails for, so that
 * it is said once.  0; -1 with err. */
int ce_cluster_check_rails(const struct ce_cluster *cluster, const struct ce_request *request,
                           uint32_t node_rank, struct ce_error *err);

/* Why this step must not run: the place that Slurm gave this task does not check against the node
 * list, so ranks and addresses would be wrong.  0; -1 with err. */
int ce_cluster_check(const struct ce_allocation *allocation, const struct ce_task *task,
                     struct ce_error *err);

#endif
