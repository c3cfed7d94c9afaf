/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/rdma_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The floors that sites with many such nodes use for writes from host memory, with packets of 4096
 * bytes; the latency is the greatest that they accept through a switch. */
static const struct {
    enum ce_link_layer link_layer;
    unsigned rate_gbps, floor_gbps;
} floors[] = {
    {CE_LINK_INFINIBAND, 100, 95}, {CE_LINK_INFINIBAND, 200, 175}, {CE_LINK_INFINIBAND, 400, 390},
    {CE_LINK_ETHERNET, 100, 96},   {CE_LINK_ETHERNET, 200, 192},   {CE_LINK_ETHERNET, 400, 384},
    {CE_LINK_ETHERNET, 800, 770},
};
enum { FLOORS = sizeof floors / sizeof *floors, FLOOR_MTU = 4096, LATENCY_US = 5 };

unsigned ce_rdma_floor_gbps(enum ce_link_layer link_layer, unsigned rate_mbps, unsigned mtu)
{
    for (size_t i = 0; mtu == FLOOR_MTU && i < FLOORS; i++)
        if (floors[i].link_layer == link_layer && floors[i].rate_gbps * 1000 == rate_mbps)
            return floors[i].floor_gbps;
    return 0;
}

/* The same sites' floors from GPU memory, which the card reads over PCIe. */
static const struct {
    const char *gpu;
    unsigned rate_gbps, floor_gbps;
} gpu_floors[] = {
    {"NVIDIA A100-SXM4-40GB", 200, 180}, {"NVIDIA A100-SXM4-80GB", 200, 180},
    {"NVIDIA H100 80GB HBM3", 400, 380}, {"NVIDIA H200", 400, 360},
    {"NVIDIA GB200", 400, 360},
};

unsigned ce_rdma_gpu_floor_gbps(const char *gpu_name, unsigned rate_mbps, unsigned mtu)
{
    for (size_t i = 0; mtu == FLOOR_MTU && i < sizeof gpu_floors / sizeof *gpu_floors; i++)
        if (strcmp(gpu_floors[i].gpu, gpu_name) == 0 &&
            gpu_floors[i].rate_gbps * 1000 == rate_mbps)
            return gpu_floors[i].floor_gbps;
    return 0;
}

/* ---------------------------------------------------------------- the median */

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Of the rails that were measured; 0: there are none, or no memory. */
static uint64_t find_median(const struct ce_rdma_result *results, size_t count)
{
    uint64_t *rates = calloc(count + 1, sizeof *rates), median = 0;
    size_t known = 0;
    if (!rates)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (results[i].outcome == CE_RDMA_DONE)
            rates[known++] = results[i].write_mbps;
    qsort(rates, known, sizeof *rates, compare);
    if (known > 0)
        median = (rates[(known - 1) / 2] + rates[known / 2]) / 2;
    free(rates);
    return median;
}

static bool is_below(uint64_t mbps, uint64_t median, unsigned percent)
{
    return percent && mbps * 100 < median * (100 - percent);
}

/* ---------------------------------------------------------------- one rail */

static void set_check(struct ce_findings *out, const char *check, const char *remedy)
{
    if (out->lost)
        return;
    out->items[out->count - 1].check = check;
    out->items[out->count - 1].what = "rail";
    out->items[out->count - 1].response = CE_TELL;
    ce_findings_remedy(out, remedy);
}

/* "391.2", but "8.55" of what has few.  Cut, not rounded: 389.99 is not the floor of 390. */
static int digits(double gbps)
{
    return gbps < 10 ? 2 : 1;
}

static double to_gbps(uint64_t mbps)
{
    return mbps < 10000 ? (double)(mbps / 10) / 100 : (double)(mbps / 100) / 10;
}

static unsigned floor_of(const struct ce_rdma_result *result, const struct ce_rdma_limits *limits)
{
    if (result->gpu[0])
        return limits->gpu_gbps
                   ? limits->gpu_gbps
                   : ce_rdma_gpu_floor_gbps(result->gpu_name, result->rate_mbps, result->mtu);
    return limits->write_gbps
               ? limits->write_gbps
               : ce_rdma_floor_gbps(result->link_layer, result->rate_mbps, result->mtu);
}

enum { WHOSE = 64 };

/* "391.2 Gb/s", "371.0 Gb/s from GPU 0000:1b:00.0 (dma-buf)" */
static const char *say_figure(const struct ce_rdma_result *result, char text[2 * WHOSE])
{
    double gbps = to_gbps(result->write_mbps);
    char whose[WHOSE] = "";
    if (result->gpu[0])
        snprintf(whose, sizeof whose, " from GPU %s (%.10s)", result->gpu, result->gpu_way);
    snprintf(text, 2 * WHOSE, "%.*f Gb/s%s", digits(gbps), gbps, whose);
    return text;
}

static const char *judge_figure(const struct ce_rdma_result *result, uint64_t median,
                                const struct ce_rdma_limits *limits, struct ce_findings *out)
{
    double gbps = to_gbps(result->write_mbps), usual = to_gbps(median);
    unsigned floor = floor_of(result, limits);
    char figure[2 * WHOSE];
    say_figure(result, figure);
    if (result->write_mbps < floor * 1000ULL) {
        ce_findings_add(out, CE_FAIL, result->subject, "%s, expected at least %u Gb/s", figure,
                        floor);
        return "check the PCIe link, the cable and the switch port, then repeat it on an idle node";
    }
    if (is_below(result->write_mbps, median, limits->below_percent)) {
        ce_findings_add(out, CE_WARN, result->subject, "%s, %.0f %% below the median of %.*f Gb/s",
                        figure, 100 - 100 * gbps / usual, digits(usual), usual);
        return "compare its PCIe link, cable and switch port with those of its siblings";
    }
    if (floor)
        ce_findings_add(out, CE_PASS, result->subject, "%s, at least %u Gb/s", figure, floor);
    else
        ce_findings_add(out, CE_PASS, result->subject, "%s, no floor is known", figure);
    return "";
}

static const char *judge_failure(const struct ce_rdma_result *result, struct ce_findings *out)
{
    static const char *const remedies[] = {
        [CE_RDMA_PORT] = "check cable and switch port",
        [CE_RDMA_WRITE] = "check the path: cable, switch, routes, GIDs and MTU",
    };
    bool fault = result->outcome == CE_RDMA_PORT || result->outcome == CE_RDMA_WRITE;
    enum ce_verdict verdict = fault                                ? CE_FAIL
                              : result->outcome == CE_RDMA_NO_GPU ? CE_SKIP
                                                                   : CE_UNKNOWN;
    ce_findings_add(out, verdict, result->subject, "%s", result->text);
    return fault ? remedies[result->outcome] : "";
}

static void judge_latency(const struct ce_rdma_result *result, const struct ce_rdma_limits *limits,
                          struct ce_findings *out)
{
    double us = (double)result->latency_ns / 1000;
    /* Where the table has no floor for the rail, it has no latency either: an emulated device. */
    unsigned known = ce_rdma_floor_gbps(result->link_layer, result->rate_mbps, FLOOR_MTU),
             most = limits->latency_us ? limits->latency_us : known ? LATENCY_US : 0;
    bool late = most && result->latency_ns > most * 1000ULL;
    if (most)
        ce_findings_add(out, late ? CE_WARN : CE_PASS, result->subject, "%.2f us, %s %u us", us,
                        late ? "expected at most" : "at most", most);
    else
        ce_findings_add(out, CE_PASS, result->subject, "%.2f us, no limit is known", us);
    set_check(out, "bench.rdma.latency",
              late ? "repeat it on an idle node, then look at its power settings" : "");
}

void ce_rdma_bench_judge(const struct ce_rdma_result *results, size_t count,
                         const struct ce_rdma_limits *limits, struct ce_findings *out)
{
    uint64_t median = find_median(results, count);
    for (size_t i = 0; i < count; i++) {
        bool done = results[i].outcome == CE_RDMA_DONE;
        const char *remedy = done ? judge_figure(&results[i], median, limits, out)
                                  : judge_failure(&results[i], out);
        bool gpu = results[i].gpu[0] || results[i].outcome == CE_RDMA_NO_GPU;
        set_check(out, gpu ? "bench.rdma.gpu" : "bench.rdma.write", remedy);
        if (done)
            judge_latency(&results[i], limits, out);
    }
}
