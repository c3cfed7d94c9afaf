/* SPDX-License-Identifier: Apache-2.0 */
/* What all-reduces over nodes' GPUs mean: against the floor of their model or one that was given,
 * against each other, and whether their sums were right.  Pure. */
#ifndef CE_CHECKS_BENCH_NCCL_H
#define CE_CHECKS_BENCH_NCCL_H

#include "model/finding.h"
#include "model/nccl_bench.h"

struct ce_nccl_limits {
    uint32_t node_gbytes;   /* of one node, GB/s at least; 0: that of the model */
    uint32_t gang_gbytes;   /* of several */
    uint32_t below_percent; /* of the nodes' median: as much less is named; 0: none is */
};

/* GB/s that others ask of nodes that have each so many GPUs of this model, one alone or several together; 0:
 * nobody is known to. */
uint32_t ce_nccl_floor_of_model(const char *gpu, uint32_t gpus, bool alone);

/* Findings called bench.nccl.start, .sum, .bandwidth and .transport, of each node that was alone,
 * of a gang of all its nodes; what is one node's fault names that node.  Sums that are wrong, a
 * floor that is missed, NCCL that fails, and sockets where there are rails are CE_FAIL; a gang
 * below what others expect of its model, and a node below the others, CE_WARN; what was not
 * measured CE_UNKNOWN. */
void ce_bench_nccl_judge(const struct ce_nccl_run *run, const struct ce_nccl_limits *limits,
                         struct ce_findings *out);

#endif
