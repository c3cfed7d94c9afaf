/* SPDX-License-Identifier: Apache-2.0 */
/* What the measurements of a node's GPUs mean: against the floor of their model, or one that was
 * given, and against each other. */
#ifndef CE_CHECKS_BENCH_GPU_H
#define CE_CHECKS_BENCH_GPU_H

#include "model/finding.h"
#include "model/gpu_bench.h"

struct ce_bench_limits {
    uint32_t floors[CE_GPU_TESTS]; /* GB/s, of H2D, D2H, D2D and P2P; 0: that of the model */
    uint32_t below; /* per cent below the median of the node's GPUs that are named; 0: none are */
};

/* Findings called bench.gpu.start, .h2d, .d2h, .d2d, .p2p, .memory, .load and .ecc, GPU by GPU.  What
 * is below a floor, wrong or an error of the hardware is CE_FAIL, what is only below the others
 * CE_WARN, what could not be measured CE_UNKNOWN. */
void ce_bench_gpus_judge(const struct ce_gpu_bench *gpus, size_t count,
                         const struct ce_bench_limits *limits, struct ce_findings *out);

#endif
