/* SPDX-License-Identifier: Apache-2.0 */
/* Judging what the rails delivered (cluster-env bench rdma): against a floor, and against each
 * other.  Pure.  docs/bench.md tells where the floors come from. */
#ifndef CE_CHECKS_RDMA_BENCH_H
#define CE_CHECKS_RDMA_BENCH_H

#include <stddef.h>

#include "model/finding.h"
#include "model/rdma_result.h"

/* What the configuration says; 0: the table does, or (percent) nothing does. */
struct ce_rdma_limits {
    unsigned write_gbps;    /* at least */
    unsigned gpu_gbps;      /* the same, from GPU memory */
    unsigned latency_us;    /* at most */
    unsigned below_percent; /* of the rails' median: as much less is named */
};

/* What a rail of that kind should carry; 0: the table does not know.  Small packets carry less: it
 * knows only those of 4096 bytes. */
unsigned ce_rdma_floor_gbps(enum ce_link_layer link_layer, unsigned rate_mbps, unsigned mtu);

/* The same from the memory of a GPU of that name, as CUDA has it. */
unsigned ce_rdma_gpu_floor_gbps(const char *gpu_name, unsigned rate_mbps, unsigned mtu);

/* Append, for each rail, a finding of bench.rdma.write (from GPU memory: bench.rdma.gpu) and, where there are figures, one of
 * bench.rdma.latency.  A floor that is missed, a port that is not ACTIVE and a write that failed are
 * faults; less than its siblings, and late, is a warning; what could not be measured is unknown. */
void ce_rdma_bench_judge(const struct ce_rdma_result *results, size_t count,
                         const struct ce_rdma_limits *limits, struct ce_findings *out);

#endif
