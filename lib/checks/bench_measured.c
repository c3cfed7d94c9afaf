/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/bench_measured.h"

#include <stdio.h>
#include <string.h>

void ce_bench_measured_rails(const struct ce_rdma_result *results, size_t count,
                             struct ce_measured *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct ce_rdma_result *result = &results[i];
        if (result->outcome != CE_RDMA_DONE)
            continue;
        ce_measured_add(out, result->gpu[0] ? "rdma.gpu" : "rdma.write", result->subject, (double)result->write_mbps / 1000,
                        "Gb/s");
        ce_measured_add(out, "rdma.latency", result->subject, (double)result->latency_ns / 1000,
                        "us");
    }
}

static const struct {
    enum ce_gpu_number number;
    const char *what, *unit;
    double parts; /* how many of the number's make one of the unit */
} figures[] = {
    {CE_NUMBER_H2D, "gpu.h2d", "GB/s", 1000},     {CE_NUMBER_D2H, "gpu.d2h", "GB/s", 1000},
    {CE_NUMBER_D2D, "gpu.d2d", "GB/s", 1000},     {CE_NUMBER_GFLOPS, "gpu.load", "TFLOPS", 1000},
    {CE_NUMBER_CLOCK, "gpu.clock", "MHz", 1},     {CE_NUMBER_POWER, "gpu.power", "W", 1000},
};

static void add_slowest_way(const struct ce_gpu_bench *gpu, const char *device,
                            struct ce_measured *out)
{
    uint64_t least = CE_NOT_MEASURED;
    for (unsigned i = 0; i < gpu->peer_count; i++)
        if (gpu->peers[i].mbytes < least)
            least = gpu->peers[i].mbytes;
    if (least != CE_NOT_MEASURED)
        ce_measured_add(out, "gpu.p2p", device, (double)least / 1000, "GB/s");
}

void ce_bench_measured_gpus(const struct ce_gpu_bench *gpus, size_t count, struct ce_measured *out)
{
    for (size_t i = 0; i < count; i++) {
        char device[32];
        snprintf(device, sizeof device, "GPU %zu", i);
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
            if (gpus[i].numbers[figures[k].number] != CE_NOT_MEASURED)
                ce_measured_add(out, figures[k].what, device,
                                (double)gpus[i].numbers[figures[k].number] / figures[k].parts,
                                figures[k].unit);
        add_slowest_way(&gpus[i], device, out);
    }
}

static void add_rate(const struct ce_nccl_node *parts, size_t count, const char *what,
                     const char *device, struct ce_measured *out)
{
    uint64_t rate = ce_nccl_rate(parts, count, ce_nccl_largest(parts, count));
    for (size_t i = 0; i < count; i++)
        if (parts[i].outcome != CE_NCCL_DONE)
            return;
    if (rate)
        ce_measured_add(out, what, device, (double)rate / 1000, "GB/s");
}

static void add_run(const struct ce_nccl_run *run, const struct ce_nccl_node *own,
                    struct ce_measured *out)
{
    char device[CE_SUBJECT];
    snprintf(device, sizeof device, "%u nodes", run->nodes);
    if (run->alone)
        add_rate(own, 1, "nccl.allreduce", "", out);
    else
        add_rate(run->parts, run->nodes, "nccl.allreduce.gang", device, out);
}

void ce_bench_measured_nccl(const struct ce_nccl_run *runs, size_t count, const char *node_name,
                            struct ce_measured *out)
{
    for (size_t r = 0; r < count; r++)
        for (uint32_t i = 0; i < runs[r].nodes && !runs[r].not_run[0]; i++)
            if (strcmp(runs[r].parts[i].name, node_name) == 0)
                add_run(&runs[r], &runs[r].parts[i], out);
}
