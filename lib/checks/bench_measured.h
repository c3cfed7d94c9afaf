/* SPDX-License-Identifier: Apache-2.0 */
/* What tests measured, in the one form that is kept (model/measured.h).  Pure. */
#ifndef CE_CHECKS_BENCH_MEASURED_H
#define CE_CHECKS_BENCH_MEASURED_H

#include <stddef.h>

#include "model/gpu_bench.h"
#include "model/measured.h"
#include "model/nccl_bench.h"
#include "model/rdma_result.h"

/* Append "rdma.write" (from GPU memory: "rdma.gpu") in Gb/s and "rdma.latency" in us
 * of each rail that was measured. */
void ce_bench_measured_rails(const struct ce_rdma_result *results, size_t count,
                             struct ce_measured *out);

/* Append, of each "GPU N", what was measured: "gpu.h2d", "gpu.d2h", "gpu.d2d" and "gpu.p2p" (the
 * slowest way) in GB/s, "gpu.load" in TFLOPS, "gpu.clock" in MHz, "gpu.power" in W. */
void ce_bench_measured_gpus(const struct ce_gpu_bench *gpus, size_t count, struct ce_measured *out);

/* Append the bus bandwidth of the largest messages in GB/s: "nccl.allreduce" of this node alone,
 * "nccl.allreduce.gang" of the "N nodes" that it was one of: that of the slowest. */
void ce_bench_measured_nccl(const struct ce_nccl_run *runs, size_t count, const char *node_name,
                            struct ce_measured *out);

#endif
