/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/bench_measured.h"

#include "../unit.h"
#include "base/text.h"

static void check_text(struct ce_measured *measured, const char *expected)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    for (size_t i = 0; i < measured->count; i++)
        ce_text_addf(&text, "%s %s %g %s\n", measured->items[i].what, measured->items[i].device,
                     measured->items[i].value, measured->items[i].unit);
    assert_false(measured->lost);
    assert_string_equal(ce_text_string(&text), expected);
}

static void rails_that_were_measured(void **state)
{
    const struct ce_rdma_result results[] = {
        {.subject = "mlx5_0/1", .write_mbps = 391200, .latency_ns = 1910},
        {.subject = "mlx5_1/1", .outcome = CE_RDMA_PORT, .text = "DOWN"},
        {.subject = "mlx5_2/1", .gpu = "0000:1b:00.0", .write_mbps = 381000, .latency_ns = 2000},
    };
    ce_automeasured struct ce_measured measured = {.count = 0};
    (void)state;
    ce_bench_measured_rails(results, UNIT_COUNT(results), &measured);
    check_text(&measured, "rdma.write mlx5_0/1 391.2 Gb/s\nrdma.latency mlx5_0/1 1.91 us\n"
                          "rdma.gpu mlx5_2/1 381 Gb/s\nrdma.latency mlx5_2/1 2 us\n");
}

static void gpus_by_what_they_delivered(void **state)
{
    static struct ce_gpu_bench gpus[2];
    struct ce_error err = {""};
    ce_automeasured struct ce_measured measured = {.count = 0};
    (void)state;
    assert_int_equal(ce_gpu_bench_read("format=1\ngpu=a\nname=x\nstart=skipped\nend=1\n", &gpus[0], &err), 0);
    assert_int_equal(ce_gpu_bench_read("format=1\ngpu=b\nname=x\nstart=done\nh2d=done\nh2d.mbytes=55300\n"
                                       "p2p=done\npeers=3\npeer.0.pci=a\npeer.0.mbytes=381200\npeer.1.pci=c\n"
                                       "peer.1.mbytes=201000\npeer.2.pci=d\npeer.2.reason=no access to it\n"
                                       "load=done\nload.gflops=51250\nload.miscounted=0\nload.power_mw=690500\nend=1\n",
                                       &gpus[1], &err), 0);
    ce_bench_measured_gpus(gpus, 2, &measured);
    check_text(&measured, "gpu.h2d GPU 1 55.3 GB/s\ngpu.load GPU 1 51.25 TFLOPS\ngpu.power GPU 1 690.5 W\n"
                          "gpu.p2p GPU 1 201 GB/s\n");
}

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
/* 2 * 7 / 8 of 4 GiB in so many ms, which is what counts. */
#define PART(named, how, over, ms)                                                                 \
    {.name = named, .ranks = over, .outcome = how, .size_count = 2,                                \
     .sizes = {{MIB, 1000, 0}, {4 * GIB, UINT64_C(ms) * 1000000, 0}}}
#define RUN(is_alone, list)                                                                        \
    {.nodes = UNIT_COUNT(list), .alone = is_alone, .parts = list}

static void all_reduces_that_this_node_was_in(void **state)
{
    struct ce_nccl_node alone[] = {PART("a", CE_NCCL_DONE, 8, 16), PART("b", CE_NCCL_DONE, 8, 20),
                                   PART("c", CE_NCCL_LATE, 8, 16)};
    struct ce_nccl_node two[] = {PART("a", CE_NCCL_DONE, 8, 20), PART("b", CE_NCCL_DONE, 8, 25)};
    struct ce_nccl_node three[] = {PART("a", CE_NCCL_DONE, 8, 20), PART("b", CE_NCCL_DONE, 8, 25),
                                   PART("c", CE_NCCL_LATE, 8, 30)};
    struct ce_nccl_node others[] = {PART("c", CE_NCCL_DONE, 8, 20), PART("d", CE_NCCL_DONE, 8, 25)};
    struct ce_nccl_node one_gpu[] = {PART("b", CE_NCCL_DONE, 1, 20)};
    const struct ce_nccl_run runs[] = {RUN(true, alone), RUN(false, two), RUN(false, three),
                                       RUN(false, others), RUN(true, one_gpu)};
    static const char *const names[] = {"b", "c", "none"};
    static const char *const expected[] = {
        "nccl.allreduce  375.809 GB/s\nnccl.allreduce.gang 2 nodes 300.647 GB/s\n",
        "nccl.allreduce.gang 2 nodes 300.647 GB/s\n", ""};
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(names); i++) {
        ce_automeasured struct ce_measured measured = {.count = 0};
        ce_bench_measured_nccl(runs, UNIT_COUNT(runs), names[i], &measured);
        check_text(&measured, expected[i]);
    }
}

int main(void)
{
    UNIT_RULE(all_reduces_that_this_node_was_in);
    UNIT_RULE(rails_that_were_measured);
    UNIT_RULE(gpus_by_what_they_delivered);
    return UNIT_RUN("checks/bench_measured");
}
