/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/bench_gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEERS_MIN = 3 /* GPUs that have a median to be measured by */, PER_GB = 1000 };

/* GB/s that a healthy GPU of the model has: Azure's and Oracle's floors of their own nodes; 0: they have
 * none, or (of peers) one that holds only with a bridge that a card need not have.  The name is the
 * whole name, so that a PCIe card does not get the floor of its sibling with NVLink. */
static const struct {
    const char *name;
    uint32_t host, peers;
} models[] = {
    {"NVIDIA A100-SXM4-40GB", 21, 238}, {"NVIDIA A100-SXM4-80GB", 21, 238},
    {"A100-SXM4-40GB", 21, 238},        {"A100-SXM-80GB", 21, 238},
    {"NVIDIA H100 80GB HBM3", 48, 335}, {"NVIDIA H200", 48, 335},
    {"NVIDIA GB200", 48, 335},          {"NVIDIA H100 NVL", 52, 0},
    {"NVIDIA A100 80GB PCIe", 23, 0},   {"Tesla V100-SXM2-32GB", 10, 0},
};

struct judging {
    const struct ce_gpu_bench *gpus;
    size_t count;
    const struct ce_bench_limits *limits;
    struct ce_findings *out;
};

static const char *const checks[CE_GPU_TESTS] = {
    "bench.gpu.start", "bench.gpu.h2d",    "bench.gpu.d2h",  "bench.gpu.d2d",
    "bench.gpu.p2p",   "bench.gpu.memory", "bench.gpu.load",
};

static const char *const remedies[CE_GPU_TESTS] = {
    "look at what it says, and run it again",
    "check width and generation of its PCIe link, and its slot",
    "check width and generation of its PCIe link, and its slot",
    "check clocks and power of the GPU, then test its memory",
    "check NVLink with 'cluster-env check', and the fabric manager",
    "exchange the GPU (RMA)",
    "check its cooling and power, and exchange the GPU if results are wrong",
};

/* ---------------------------------------------------------------- words */

/* The finding added last is of this test. */
static void name_last(const struct judging *judging, const char *check, const char *remedy)
{
    struct ce_findings *out = judging->out;
    if (out->lost || out->count == 0)
        return;
    struct ce_finding *finding = &out->items[out->count - 1];
    finding->check = check;
    finding->what = "GPU";
    finding->remedy = remedy;
    finding->response = finding->verdict >= CE_UNKNOWN ? CE_TELL : CE_IGNORE;
}

#define ADD(judging, test, verdict, subject, ...)                                                  \
    (ce_findings_add((judging)->out, verdict, subject, __VA_ARGS__),                               \
     name_last(judging, checks[test], remedies[test]))

static const char *subject_of(const struct judging *judging, const struct ce_gpu_bench *gpu,
                              char subject[CE_SUBJECT])
{
    snprintf(subject, CE_SUBJECT, "GPU %zu (%s)", (size_t)(gpu - judging->gpus), gpu->address);
    return subject;
}

/* CUDA's errors that only a broken GPU, or a broken link to it, gives.  A failed launch (719) or a hardware
 * stack error (714) may be a driver's or a stack's, too. */
static bool is_of_hardware(unsigned code)
{
    static const unsigned codes[] = {
        214 /* ECC_UNCORRECTABLE */, 220 /* NVLINK_UNCORRECTABLE */, 226 /* CONTAINED */,
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return true;
    return false;
}

/* What ended without a number.  False: there are numbers. */
static bool add_end(const struct judging *judging, const struct ce_gpu_bench *gpu,
                    enum ce_gpu_test test)
{
    const struct ce_test_answer *answer = &gpu->tests[test];
    char subject[CE_SUBJECT];
    enum ce_verdict verdict = CE_UNKNOWN;
    if (answer->end == CE_TEST_DONE)
        return false;
    if (answer->end == CE_TEST_SKIPPED)
        verdict = CE_SKIP;
    else if (answer->end == CE_TEST_FAILED && is_of_hardware(answer->code))
        verdict = CE_FAIL;
    ADD(judging, test, verdict, subject_of(judging, gpu, subject), "%s%s",
        answer->end == CE_TEST_LATE ? "the driver hangs: " : "",
        answer->reason[0] ? answer->reason : "no answer");
    return true;
}

/* ---------------------------------------------------------------- floors and medians */

/* MB/s; 0: nobody knows one. */
static uint64_t floor_of(const struct judging *judging, const struct ce_gpu_bench *gpu,
                         enum ce_gpu_test test)
{
    uint32_t given = judging->limits->floors[test];
    if (given || test == CE_TEST_D2D)
        return (uint64_t)given * PER_GB;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].name, gpu->name) == 0)
            return (uint64_t)PER_GB * (test == CE_TEST_P2P ? models[i].peers : models[i].host);
    return 0;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t median_of(uint64_t *values, size_t count)
{
    if (count < PEERS_MIN)
        return 0;
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Of the GPUs of this model that were measured; 0: they are too few. */
static uint64_t median_number(const struct judging *judging, const char *name,
                              enum ce_gpu_number number)
{
    uint64_t values[CE_GPUS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < judging->count && count < CE_GPUS_MAX; i++)
        if (judging->gpus[i].numbers[number] != CE_NOT_MEASURED &&
            strcmp(judging->gpus[i].name, name) == 0)
            values[count++] = judging->gpus[i].numbers[number];
    return median_of(values, count);
}

static bool is_below(const struct judging *judging, uint64_t value, uint64_t median)
{
    uint32_t below = judging->limits->below;
    return below && below < 100 && median && value < median / 100 * (100 - below);
}

static double percent_below(uint64_t value, uint64_t median)
{
    return 100.0 * (double)(median - value) / (double)median;
}

/* One rate in MB/s, of a GPU or of the way to one of its peers. */
static void judge_rate(const struct judging *judging, const struct ce_gpu_bench *gpu,
                       enum ce_gpu_test test, const char *subject, uint64_t rate, uint64_t median)
{
    uint64_t floor = floor_of(judging, gpu, test);
    if (rate < floor)
        ADD(judging, test, CE_FAIL, subject, "%.1f GB/s, expected at least %.0f",
            (double)rate / PER_GB, (double)floor / PER_GB);
    else if (is_below(judging, rate, median))
        ADD(judging, test, CE_WARN, subject, "%.1f GB/s, %.0f %% below the median of %.1f",
            (double)rate / PER_GB, percent_below(rate, median), (double)median / PER_GB);
    else if (floor)
        ADD(judging, test, CE_PASS, subject, "%.1f GB/s, at least %.0f", (double)rate / PER_GB,
            (double)floor / PER_GB);
    else
        ADD(judging, test, CE_PASS, subject, "%.1f GB/s", (double)rate / PER_GB);
}

static void judge_copies(const struct judging *judging, const struct ce_gpu_bench *gpu,
                         enum ce_gpu_test test)
{
    static const enum ce_gpu_number numbers[] = {[CE_TEST_H2D] = CE_NUMBER_H2D,
                                                 [CE_TEST_D2H] = CE_NUMBER_D2H,
                                                 [CE_TEST_D2D] = CE_NUMBER_D2D};
    char subject[CE_SUBJECT];
    uint64_t rate = gpu->numbers[numbers[test]];
    if (rate == CE_NOT_MEASURED)
        ADD(judging, test, CE_UNKNOWN, subject_of(judging, gpu, subject), "no answer");
    else
        judge_rate(judging, gpu, test, subject_of(judging, gpu, subject), rate,
                   median_number(judging, gpu->name, numbers[test]));
}

/* ---------------------------------------------------------------- peers */

/* Of all ways between any two of the node's GPUs. */
static uint64_t median_of_ways(const struct judging *judging)
{
    uint64_t median = 0, *values = calloc(judging->count + 1, CE_GPUS_MAX * sizeof *values);
    size_t count = 0;
    for (size_t i = 0; values && i < judging->count; i++)
        for (unsigned k = 0; k < judging->gpus[i].peer_count; k++)
            if (judging->gpus[i].peers[k].mbytes != CE_NOT_MEASURED)
                values[count++] = judging->gpus[i].peers[k].mbytes;
    if (values)
        median = median_of(values, count);
    free(values);
    return median;
}

/* Good ways are told together, each bad one alone. */
static void judge_peers(const struct judging *judging, const struct ce_gpu_bench *gpu)
{
    uint64_t median = median_of_ways(judging), floor = floor_of(judging, gpu, CE_TEST_P2P);
    uint64_t least = CE_NOT_MEASURED, most = 0;
    char subject[CE_SUBJECT], way[CE_SUBJECT + CE_PCI_ADDRESS];
    unsigned good = 0;
    subject_of(judging, gpu, subject);
    for (unsigned i = 0; i < gpu->peer_count; i++) {
        const struct ce_peer_bench *peer = &gpu->peers[i];
        snprintf(way, sizeof way, "GPU %zu (%s) to %s", (size_t)(gpu - judging->gpus), gpu->address,
                 peer->address);
        if (peer->mbytes == CE_NOT_MEASURED) {
            ADD(judging, CE_TEST_P2P, CE_SKIP, way, "%s", peer->reason);
            continue;
        }
        if (peer->mbytes < floor || is_below(judging, peer->mbytes, median)) {
            judge_rate(judging, gpu, CE_TEST_P2P, way, peer->mbytes, median);
            continue;
        }
        good++;
        least = peer->mbytes < least ? peer->mbytes : least;
        most = peer->mbytes > most ? peer->mbytes : most;
    }
    if (good)
        ADD(judging, CE_TEST_P2P, CE_PASS, subject, "to %u peer%s: %.1f to %.1f GB/s", good,
            good == 1 ? "" : "s", (double)least / PER_GB, (double)most / PER_GB);
}

/* ---------------------------------------------------------------- memory, load, errors */

static const char *add_size(uint64_t bytes, char text[32])
{
    if (bytes >> 30)
        snprintf(text, 32, "%.1f GiB", (double)bytes / (1 << 30));
    else
        snprintf(text, 32, "%" PRIu64 " MiB", bytes >> 20);
    return text;
}

static void judge_memory(const struct judging *judging, const struct ce_gpu_bench *gpu)
{
    const uint64_t *numbers = gpu->numbers;
    const struct ce_wrong_word *wrong = &gpu->wrong[0];
    char name[CE_SUBJECT];
    const char *subject = subject_of(judging, gpu, name);
    char tested[32];
    if (numbers[CE_NUMBER_WRONG] == CE_NOT_MEASURED ||
        numbers[CE_NUMBER_PASSES] == CE_NOT_MEASURED ||
        numbers[CE_NUMBER_TESTED] == CE_NOT_MEASURED)
        ADD(judging, CE_TEST_MEMORY, CE_UNKNOWN, subject, "no answer");
    else if (numbers[CE_NUMBER_WRONG] && gpu->wrong_count)
        ADD(judging, CE_TEST_MEMORY, CE_FAIL, subject,
            "%" PRIu64 " wrong word%s, first at 0x%" PRIx64 ": 0x%016" PRIx64
            ", expected 0x%016" PRIx64,
            numbers[CE_NUMBER_WRONG], numbers[CE_NUMBER_WRONG] == 1 ? "" : "s", wrong->address,
            wrong->found, wrong->expected);
    else if (numbers[CE_NUMBER_WRONG])
        ADD(judging, CE_TEST_MEMORY, CE_FAIL, subject, "%" PRIu64 " wrong words",
            numbers[CE_NUMBER_WRONG]);
    else if (numbers[CE_NUMBER_PASSES] < CE_PATTERNS)
        ADD(judging, CE_TEST_MEMORY, CE_UNKNOWN, subject,
            "time for %" PRIu64 " of %d patterns only, in them nothing was wrong",
            numbers[CE_NUMBER_PASSES], CE_PATTERNS);
    else
        ADD(judging, CE_TEST_MEMORY, CE_PASS, subject, "%s, %" PRIu64 " passes",
            add_size(numbers[CE_NUMBER_TESTED], tested), numbers[CE_NUMBER_PASSES]);
}

/* " at 1980 MHz and 650 W", as far as NVML told. */
static const char *add_state(const struct ce_gpu_bench *gpu, char text[64])
{
    uint64_t clock = gpu->numbers[CE_NUMBER_CLOCK], power = gpu->numbers[CE_NUMBER_POWER];
    size_t length = 0;
    text[0] = '\0';
    if (clock != CE_NOT_MEASURED)
        length = (size_t)snprintf(text, 64, " at %" PRIu64 " MHz", clock);
    if (power != CE_NOT_MEASURED)
        snprintf(text + length, 64 - length, "%s%.0f W", length ? " and " : " at ",
                 (double)power / 1000);
    return text;
}

static void judge_load(const struct judging *judging, const struct ce_gpu_bench *gpu)
{
    uint64_t gflops = gpu->numbers[CE_NUMBER_GFLOPS];
    uint64_t wrong = gpu->numbers[CE_NUMBER_MISCOUNTED];
    uint64_t median = median_number(judging, gpu->name, CE_NUMBER_GFLOPS);
    char name[CE_SUBJECT], state[64];
    const char *subject = subject_of(judging, gpu, name);
    add_state(gpu, state);
    if (gflops == CE_NOT_MEASURED || wrong == CE_NOT_MEASURED)
        ADD(judging, CE_TEST_LOAD, CE_UNKNOWN, subject, "no answer");
    else if (wrong)
        ADD(judging, CE_TEST_LOAD, CE_FAIL, subject,
            "%" PRIu64 " threads computed a wrong result%s", wrong, state);
    else if (is_below(judging, gflops, median))
        ADD(judging, CE_TEST_LOAD, CE_WARN, subject,
            "%.1f TFLOPS%s, %.0f %% below the median of %.1f", (double)gflops / 1000, state,
            percent_below(gflops, median), (double)median / 1000);
    else
        ADD(judging, CE_TEST_LOAD, CE_PASS, subject, "%.1f TFLOPS%s", (double)gflops / 1000, state);
}

static bool was_used(const struct ce_gpu_bench *gpu)
{
    for (int test = CE_TEST_START + 1; test < CE_GPU_TESTS; test++)
        if (gpu->tests[test].end == CE_TEST_DONE || gpu->tests[test].end == CE_TEST_FAILED)
            return true;
    return false;
}

static void judge_errors(const struct judging *judging, const struct ce_gpu_bench *gpu)
{
    uint64_t corrected = gpu->numbers[CE_NUMBER_ECC_CORRECTED];
    uint64_t uncorrected = gpu->numbers[CE_NUMBER_ECC_UNCORRECTED];
    char name[CE_SUBJECT];
    const char *subject = subject_of(judging, gpu, name);
    if (!was_used(gpu) || (corrected == CE_NOT_MEASURED && uncorrected == CE_NOT_MEASURED))
        return;
    if (uncorrected != CE_NOT_MEASURED && uncorrected)
        ce_findings_add(judging->out, CE_FAIL, subject,
                        "%" PRIu64 " uncorrected memory errors during the tests", uncorrected);
    else if (corrected != CE_NOT_MEASURED && corrected)
        ce_findings_add(judging->out, CE_WARN, subject,
                        "%" PRIu64 " corrected memory errors during the tests", corrected);
    else
        ce_findings_add(judging->out, CE_PASS, subject, "no memory error during the tests");
    name_last(judging, "bench.gpu.ecc", "reset the GPU, then exchange it if errors come back");
}

static void judge_test(const struct judging *judging, const struct ce_gpu_bench *gpu,
                       enum ce_gpu_test test)
{
    if (gpu->tests[test].end == CE_TEST_NOT_RUN || add_end(judging, gpu, test))
        return;
    if (test == CE_TEST_P2P)
        judge_peers(judging, gpu);
    else if (test == CE_TEST_MEMORY)
        judge_memory(judging, gpu);
    else if (test == CE_TEST_LOAD)
        judge_load(judging, gpu);
    else
        judge_copies(judging, gpu, test);
}

void ce_bench_gpus_judge(const struct ce_gpu_bench *gpus, size_t count,
                         const struct ce_bench_limits *limits, struct ce_findings *out)
{
    const struct judging judging = {gpus, count, limits, out};
    if (count == 0) {
        ADD(&judging, CE_TEST_START, CE_SKIP, "", "no NVIDIA GPU");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (add_end(&judging, &gpus[i], CE_TEST_START))
            continue;
        for (int test = CE_TEST_START + 1; test < CE_GPU_TESTS; test++)
            judge_test(&judging, &gpus[i], (enum ce_gpu_test)test);
        judge_errors(&judging, &gpus[i]);
    }
}
