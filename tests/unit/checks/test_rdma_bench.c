/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/rdma_bench.h"

#include "../unit.h"
#include "base/text.h"
#include "seen.h"

#define DONE(name, mbps, ns)                                                                       \
    {.subject = name,                                                                              \
     .rate_mbps = 400000,                                                                          \
     .link_layer = CE_LINK_INFINIBAND,                                                             \
     .write_mbps = mbps,                                                                           \
     .latency_ns = ns,                                                                             \
     .mtu = 4096}
#define WELL(name) DONE(name, 392000, 1900)
#define SLOW_PORT(name, mbps)                                                                      \
    {.subject = name,                                                                              \
     .rate_mbps = 10000,                                                                           \
     .link_layer = CE_LINK_ETHERNET,                                                               \
     .write_mbps = mbps,                                                                           \
     .latency_ns = 20000,                                                                          \
     .mtu = 1024}
#define FROM_GPU(name, mbps, model)                                                                \
    {.subject = name,                                                                              \
     .rate_mbps = 400000,                                                                          \
     .link_layer = CE_LINK_INFINIBAND,                                                             \
     .gpu = "0000:1b:00.0",                                                                        \
     .gpu_name = model,                                                                            \
     .gpu_way = "dma-buf",                                                                         \
     .write_mbps = mbps,                                                                           \
     .latency_ns = 1900,                                                                           \
     .mtu = 4096}
#define FAILED(name, why, said) {.subject = name, .outcome = why, .text = said}
#define FIVE {.below_percent = 5}

static const struct row {
    const char *name;
    struct ce_rdma_limits limits;
    struct ce_rdma_result results[6];
    const char *says; /* of the bandwidth; latencies only where one is not well */
} rows[] = {
    {"above_the_floor", FIVE, {WELL("a")}, "pass a 392.0 Gb/s, at least 390 Gb/s\n"},
    {"just_the_floor", FIVE, {DONE("a", 390000, 1900)}, "pass a 390.0 Gb/s, at least 390 Gb/s\n"},
    {"below_the_floor", FIVE, {DONE("a", 389999, 1900)},
     "fail a 389.9 Gb/s, expected at least 390 Gb/s\n"},
    {"half", FIVE, {WELL("a"), WELL("b"), DONE("c", 196000, 1900)},
     "pass a 392.0 Gb/s, at least 390 Gb/s\npass b 392.0 Gb/s, at least 390 Gb/s\n"
     "fail c 196.0 Gb/s, expected at least 390 Gb/s\n"},
    {"a_floor_of_the_site", {.write_gbps = 350, .below_percent = 50}, {DONE("a", 351000, 1900)},
     "pass a 351.0 Gb/s, at least 350 Gb/s\n"},
    {"and_below_it", {.write_gbps = 395}, {WELL("a")},
     "fail a 392.0 Gb/s, expected at least 395 Gb/s\n"},
    {"no_floor_is_known", FIVE, {SLOW_PORT("a", 9000)}, "pass a 9.00 Gb/s, no floor is known\n"},
    {"one_more_than_5_percent_below", FIVE,
     {SLOW_PORT("a", 9000), SLOW_PORT("b", 9000), SLOW_PORT("c", 8549)},
     "pass a 9.00 Gb/s, no floor is known\npass b 9.00 Gb/s, no floor is known\n"
     "warn c 8.54 Gb/s, 5 % below the median of 9.00 Gb/s\n"},
    {"one_5_percent_below", FIVE,
     {SLOW_PORT("a", 9000), SLOW_PORT("b", 9000), SLOW_PORT("c", 8550)},
     "pass a 9.00 Gb/s, no floor is known\npass b 9.00 Gb/s, no floor is known\n"
     "pass c 8.55 Gb/s, no floor is known\n"},
    {"another_percentage", {.below_percent = 20},
     {SLOW_PORT("a", 9000), SLOW_PORT("b", 9000), SLOW_PORT("c", 7000)},
     "pass a 9.00 Gb/s, no floor is known\npass b 9.00 Gb/s, no floor is known\n"
     "warn c 7.00 Gb/s, 22 % below the median of 9.00 Gb/s\n"},
    {"no_percentage", {.below_percent = 0}, {SLOW_PORT("a", 9000), SLOW_PORT("b", 1000)},
     "pass a 9.00 Gb/s, no floor is known\npass b 1.00 Gb/s, no floor is known\n"},
    {"of_two_the_slow_one", FIVE, {SLOW_PORT("a", 9000), SLOW_PORT("b", 7000)},
     "pass a 9.00 Gb/s, no floor is known\nwarn b 7.00 Gb/s, 12 % below the median of 8.00 Gb/s\n"},
    {"one_that_failed_does_not_count", FIVE,
     {FAILED("a", CE_RDMA_WRITE, "a write failed: transport retry counter exceeded"),
      FAILED("b", CE_RDMA_WRITE, "a write failed: transport retry counter exceeded"),
      SLOW_PORT("c", 9000)},
     "fail a a write failed: transport retry counter exceeded\n"
     "fail b a write failed: transport retry counter exceeded\n"
     "pass c 9.00 Gb/s, no floor is known\n"},
    {"a_port_that_is_down", FIVE, {FAILED("a", CE_RDMA_PORT, "DOWN (Polling), expected ACTIVE")},
     "fail a DOWN (Polling), expected ACTIVE\n"},
    {"a_node_that_is_silent_is_not_this_one", FIVE, {FAILED("a", CE_RDMA_PEER, "silent")},
     "unknown a silent\n"},
    {"nor_one_that_did_not_come", FIVE, {FAILED("a", CE_RDMA_ALONE, "no answer")},
     "unknown a no answer\n"},
    {"too_little_memory_is_no_fault", FIVE, {FAILED("a", CE_RDMA_MEMLOCK, "only 64 KiB")},
     "unknown a only 64 KiB\n"},
    {"nor_is_a_device_that_does_not_open", FIVE, {FAILED("a", CE_RDMA_DEVICE, "cannot")},
     "unknown a cannot\n"},
    {"a_latency_that_is_great", FIVE, {DONE("a", 392000, 5001)},
     "pass a 392.0 Gb/s, at least 390 Gb/s\nwarn latency a 5.00 us, expected at most 5 us\n"},
    {"a_latency_of_the_site", {.latency_us = 19}, {SLOW_PORT("a", 9000)},
     "pass a 9.00 Gb/s, no floor is known\nwarn latency a 20.00 us, expected at most 19 us\n"},
    {"from_the_memory_of_a_gpu", FIVE, {FROM_GPU("a", 381000, "NVIDIA H100 80GB HBM3")},
     "pass gpu a 381.0 Gb/s from GPU 0000:1b:00.0 (dma-buf), at least 380 Gb/s\n"},
    {"and_below_its_floor", FIVE, {FROM_GPU("a", 200000, "NVIDIA H200")},
     "fail gpu a 200.0 Gb/s from GPU 0000:1b:00.0 (dma-buf), expected at least 360 Gb/s\n"},
    {"below_what_the_other_gpus_have", FIVE,
     {FROM_GPU("a", 200000, "NVIDIA L40S"), FROM_GPU("b", 180000, "NVIDIA L40S"), FROM_GPU("c", 200000, "NVIDIA L40S")},
     "pass gpu a 200.0 Gb/s from GPU 0000:1b:00.0 (dma-buf), no floor is known\n"
     "warn gpu b 180.0 Gb/s from GPU 0000:1b:00.0 (dma-buf), 10 % below the median of 200.0 Gb/s\n"
     "pass gpu c 200.0 Gb/s from GPU 0000:1b:00.0 (dma-buf), no floor is known\n"},
    {"a_gpu_that_nobody_knows", FIVE, {FROM_GPU("a", 200000, "NVIDIA L40S")},
     "pass gpu a 200.0 Gb/s from GPU 0000:1b:00.0 (dma-buf), no floor is known\n"},
    {"a_floor_of_the_site_for_it", {.write_gbps = 100, .gpu_gbps = 300}, {FROM_GPU("a", 200000, "NVIDIA L40S")},
     "fail gpu a 200.0 Gb/s from GPU 0000:1b:00.0 (dma-buf), expected at least 300 Gb/s\n"},
    {"no_gpu_is_skipped", FIVE, {FAILED("a", CE_RDMA_NO_GPU, "libcuda.so.1: not there")},
     "skip gpu a libcuda.so.1: not there\n"},
    {"a_gpu_whose_memory_cannot_be_used", FIVE,
     {{.subject = "a", .gpu = "0000:1b:00.0", .outcome = CE_RDMA_GPU, .text = "load nvidia-peermem"}},
     "unknown gpu a load nvidia-peermem\n"},
    {"nothing", FIVE, {{.subject = ""}}, ""},
};

static void check_says(void **state)
{
    const struct row *row = *state;
    ce_autofindings struct ce_findings findings = {.count = 0};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    size_t count = 0;
    while (count < 6 && row->results[count].subject[0])
        count++;
    ce_rdma_bench_judge(row->results, count, &row->limits, &findings);
    for (size_t i = 0; i < findings.count; i++) {
        const struct ce_finding *finding = &findings.items[i];
        bool latency = strcmp(finding->check, "bench.rdma.latency") == 0;
        bool gpu = strcmp(finding->check, "bench.rdma.gpu") == 0;
        assert_true(latency || gpu || strcmp(finding->check, "bench.rdma.write") == 0);
        assert_int_equal(finding->response, CE_TELL);
        assert_true(finding->verdict < CE_WARN || finding->remedy[0]);
        assert_null(strpbrk(finding->remedy, ";[]"));
        if (!latency || finding->verdict != CE_PASS)
            ce_text_addf(&text, "%s %s%s %s\n", ce_verdict_name(finding->verdict),
                         latency ? "latency " : gpu ? "gpu " : "", finding->subject, finding->text);
    }
    assert_string_equal(ce_text_string(&text), row->says);
    for (size_t i = 0; i < findings.count; i++)
        if (strcmp(findings.items[i].check, "bench.rdma.latency") != 0 || findings.items[i].verdict != CE_PASS)
            seen(findings.items[i].check, findings.items[i].verdict);
}

static void a_latency_that_is_well_is_told(void **state)
{
    const struct ce_rdma_result result = WELL("a");
    const struct ce_rdma_limits limits = FIVE;
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    ce_rdma_bench_judge(&result, 1, &limits, &findings);
    assert_int_equal(findings.count, 2);
    assert_string_equal(findings.items[1].check, "bench.rdma.latency");
    assert_int_equal(findings.items[1].verdict, CE_PASS);
    unit_holds(findings.items[1].text, "1.90 us");
    seen_all(NULL, &findings);
}

static const struct floor_row {
    const char *name;
    enum ce_link_layer link_layer;
    unsigned rate_mbps, mtu, floor;
} floor_rows[] = {
    {"hdr", CE_LINK_INFINIBAND, 200000, 4096, 175},
    {"ndr", CE_LINK_INFINIBAND, 400000, 4096, 390},
    {"roce_400", CE_LINK_ETHERNET, 400000, 4096, 384},
    {"roce_800", CE_LINK_ETHERNET, 800000, 4096, 770},
    {"nobody_has_told_of_xdr", CE_LINK_INFINIBAND, 800000, 4096, 0},
    {"small_packets_carry_less", CE_LINK_ETHERNET, 400000, 1024, 0},
    {"a_rate_that_is_not_in_the_table", CE_LINK_ETHERNET, 10000, 4096, 0},
    {"a_rate_that_is_not_known", CE_LINK_INFINIBAND, 0, 4096, 0},
    {"a_link_layer_that_is_not_known", CE_LINK_UNKNOWN, 400000, 4096, 0},
};

static void check_floor(void **state)
{
    const struct floor_row *row = *state;
    assert_int_equal(ce_rdma_floor_gbps(row->link_layer, row->rate_mbps, row->mtu), row->floor);
}

int main(void)
{
    UNIT_TABLE(rows, check_says);
    UNIT_TABLE(floor_rows, check_floor);
    UNIT_RULE(a_latency_that_is_well_is_told);
    return UNIT_RUN("checks/rdma_bench");
}
