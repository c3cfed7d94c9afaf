/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/bench_nccl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_GB = 1000, PEERS_MIN = 3 /* nodes that have a median to be measured by */, GPUS = 8 };

enum check { START, SUM, BANDWIDTH, TRANSPORT };
static const char *const checks[] = {"bench.nccl.start", "bench.nccl.sum", "bench.nccl.bandwidth",
                                     "bench.nccl.transport"};

/* GB/s of the bus bandwidth of a healthy node, and of several, of eight GPUs each: the lower ones
 * of what Azure and Oracle ask of their own. */
static const struct {
    const char *name;
    uint32_t node, gang;
} models[] = {
    {"NVIDIA A100-SXM4-40GB", 185, 185}, {"NVIDIA A100-SXM4-80GB", 185, 185},
    {"A100-SXM4-40GB", 185, 185},        {"A100-SXM-80GB", 185, 185},
    {"NVIDIA H100 80GB HBM3", 440, 440}, {"NVIDIA H200", 431, 440},
    {"NVIDIA B200", 440, 440},
};

struct judging {
    const struct ce_nccl_run *run;
    const struct ce_nccl_limits *limits;
    struct ce_findings *out;
};

/* ---------------------------------------------------------------- words */

static const char *const remedies[] = {
    "look at what it says, and run it again",
    "test memory and computing of the GPUs with 'cluster-env bench gpu', and exchange the one that "
    "is wrong",
    "check the GPUs' links with 'cluster-env bench gpu', the rails with 'cluster-env bench rdma'",
    "check the rails with 'cluster-env check', and that jobs may use them: memlock, "
    "/dev/infiniband",
};

/* The finding added last is of this check. */
static void name_last(const struct judging *judging, enum check check)
{
    struct ce_findings *out = judging->out;
    if (out->lost || out->count == 0)
        return;
    struct ce_finding *finding = &out->items[out->count - 1];
    finding->check = checks[check];
    finding->what = judging->run->alone ? "node" : "gang";
    finding->remedy =
        finding->verdict >= CE_WARN || finding->verdict == CE_UNKNOWN ? remedies[check] : "";
    finding->response =
        finding->verdict >= CE_WARN || finding->verdict == CE_UNKNOWN ? CE_TELL : CE_IGNORE;
}

#define ADD(judging, check, verdict, subject, ...)                                                 \
    (ce_findings_add((judging)->out, verdict, subject, __VA_ARGS__), name_last(judging, check))

static const char *subject_of(const struct judging *judging, char text[CE_SUBJECT])
{
    snprintf(text, CE_SUBJECT, "%u nodes", judging->run->nodes);
    return text;
}

static const char *add_size(uint64_t bytes, char text[32])
{
    if (bytes >> 30 && bytes % (1 << 30) == 0)
        snprintf(text, 32, "%" PRIu64 " GiB", bytes >> 30);
    else if (bytes >> 20)
        snprintf(text, 32, "%" PRIu64 " MiB", bytes >> 20);
    else
        snprintf(text, 32, "%" PRIu64 " bytes", bytes);
    return text;
}

/* ---------------------------------------------------------------- what was not measured */

/* NCCL that gives up on this node would give up in a job.  What comes before it is our own
 * business. */
static enum ce_verdict verdict_of(const struct ce_nccl_node *part)
{
    if (part->outcome == CE_NCCL_SKIPPED)
        return CE_SKIP;
    return part->outcome == CE_NCCL_FAILED && part->at >= CE_NCCL_INIT ? CE_FAIL : CE_UNKNOWN;
}

static void add_end(const struct judging *judging, const struct ce_nccl_node *part)
{
    static const char *const doing[CE_NCCL_STAGES] = {
        "when it takes its GPUs", "when the nodes meet", "when NCCL connects", "when it adds up"};
    const char *reason = part->reason[0] ? part->reason : "no word came of it";
    if (part->outcome == CE_NCCL_LATE)
        ADD(judging, START, CE_UNKNOWN, part->name, "it hangs %s: %s", doing[part->at], reason);
    else
        ADD(judging, START, verdict_of(part), part->name, "%s%s%s", reason,
            part->log.warning[0] ? "; NCCL: " : "", part->log.warning);
}

/* Those whose own end it is; where it is nobody's own, what they say of the whole. */
static void add_ends(const struct judging *judging)
{
    const struct ce_nccl_run *run = judging->run;
    const struct ce_nccl_node *late = NULL, *others = NULL;
    char subject[CE_SUBJECT];
    bool named = false;
    for (uint32_t i = 0; i < run->nodes; i++) {
        const struct ce_nccl_node *part = &run->parts[i];
        if (part->outcome == CE_NCCL_LATE)
            late = part;
        else if (part->outcome == CE_NCCL_OTHERS)
            others = part;
        else if (part->outcome != CE_NCCL_DONE) {
            add_end(judging, part);
            named = true;
        }
    }
    if (!named && (late || others))
        ADD(judging, START, CE_UNKNOWN, subject_of(judging, subject), "%s%s",
            late ? "they hang: " : "", (late ? late : others)->reason);
}

static bool all_done(const struct ce_nccl_run *run)
{
    for (uint32_t i = 0; i < run->nodes; i++)
        if (run->parts[i].outcome != CE_NCCL_DONE)
            return false;
    return true;
}

/* ---------------------------------------------------------------- sums */

/* The smallest size of which sums were wrong; NULL: of none. */
static const struct ce_nccl_size *wrong_size(const struct ce_nccl_node *part)
{
    for (unsigned i = 0; i < part->size_count; i++)
        if (part->sizes[i].wrong)
            return &part->sizes[i];
    return NULL;
}

static void add_wrong(const struct judging *judging, const char *subject, const char *who,
                      const struct ce_nccl_size *size)
{
    char text[32];
    ADD(judging, SUM, CE_FAIL, subject, "%s%" PRIu64 " wrong sums in %s", who, size->wrong,
        add_size(size->bytes, text));
}

/* Where all nodes have wrong sums, one may have added what is wrong, and nobody can tell which. */
static void judge_sums(const struct judging *judging)
{
    const struct ce_nccl_run *run = judging->run;
    const struct ce_nccl_size *size;
    char subject[CE_SUBJECT];
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < run->nodes; i++)
        wrong += wrong_size(&run->parts[i]) != NULL;
    if (wrong == run->nodes && wrong > 1) {
        add_wrong(judging, subject_of(judging, subject), "each has ", wrong_size(&run->parts[0]));
        return;
    }
    for (uint32_t i = 0; i < run->nodes && wrong; i++)
        if ((size = wrong_size(&run->parts[i])) != NULL)
            add_wrong(judging, run->parts[i].name, "", size);
    if (!wrong)
        ADD(judging, SUM, CE_PASS, run->alone ? run->parts->name : subject_of(judging, subject),
            "all sums are right, of %u GPUs", run->parts->ranks);
}

/* ---------------------------------------------------------------- bandwidth */

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Of the nodes of this model that were alone; 0: they are too few. */
static uint64_t median_of(const struct ce_nccl_run *run, const char *gpu)
{
    uint64_t *rates = calloc((size_t)run->nodes + 1, sizeof *rates), median = 0;
    size_t count = 0;
    for (uint32_t i = 0; rates && i < run->nodes; i++) {
        const struct ce_nccl_node *part = &run->parts[i];
        uint64_t rate = ce_nccl_rate(part, 1, ce_nccl_largest(part, 1));
        if (part->outcome == CE_NCCL_DONE && rate && strcmp(part->gpu, gpu) == 0)
            rates[count++] = rate;
    }
    if (count >= PEERS_MIN) {
        qsort(rates, count, sizeof *rates, compare);
        median = (rates[(count - 1) / 2] + rates[count / 2]) / 2;
    }
    free(rates);
    return median;
}

uint32_t ce_nccl_floor_of_model(const char *gpu, uint32_t gpus, bool alone)
{
    for (size_t i = 0; gpus == GPUS && i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].name, gpu) == 0)
            return alone ? models[i].node : models[i].gang;
    return 0;
}

static uint32_t floor_of_models(const struct ce_nccl_run *run)
{
    for (uint32_t i = 1; i < run->nodes; i++)
        if (run->parts[i].gpus != run->parts->gpus || strcmp(run->parts[i].gpu, run->parts->gpu) != 0)
            return 0;
    return ce_nccl_floor_of_model(run->parts->gpu, run->parts->gpus, run->alone);
}

/* Cut, not rounded: 439.999 is not the floor of 440. */
static double to_gbytes(uint64_t mbytes)
{
    return (double)(mbytes / 10) / 100;
}

struct rate {
    uint64_t mbytes, median;
    uint32_t floor;
    bool given; /* the site's own floor */
};

static enum ce_verdict judge_rate(const struct judging *judging, const struct rate *rate)
{
    uint32_t below = judging->limits->below_percent;
    if (rate->mbytes < (uint64_t)rate->floor * PER_GB)
        return rate->given || judging->run->alone ? CE_FAIL : CE_WARN;
    return below && rate->median && rate->mbytes * 100 < rate->median * (100 - below) ? CE_WARN
                                                                                      : CE_PASS;
}

static void add_rate(const struct judging *judging, const char *subject, const struct rate *rate,
                     uint64_t bytes)
{
    enum ce_verdict verdict = judge_rate(judging, rate);
    bool low = rate->mbytes < (uint64_t)rate->floor * PER_GB;
    char size[32], rest[64] = "";
    if (rate->floor)
        snprintf(rest, sizeof rest, ", %sat least %u", low ? "expected " : "", rate->floor);
    if (verdict == CE_WARN && !low)
        snprintf(rest, sizeof rest, ", %.0f %% below the median of %.2f",
                 100.0 - 100.0 * (double)rate->mbytes / (double)rate->median,
                 to_gbytes(rate->median));
    ADD(judging, BANDWIDTH, verdict, subject, "%.2f GB/s with %s over %u GPUs%s",
        to_gbytes(rate->mbytes), add_size(bytes, size), judging->run->parts->ranks, rest);
}

static void judge_bandwidth(const struct judging *judging, uint64_t median)
{
    const struct ce_nccl_run *run = judging->run;
    uint32_t given = run->alone ? judging->limits->node_gbytes : judging->limits->gang_gbytes;
    uint64_t bytes = ce_nccl_largest(run->parts, run->nodes);
    struct rate rate = {.mbytes = ce_nccl_rate(run->parts, run->nodes, bytes),
                        .median = median,
                        .floor = given ? given : floor_of_models(run),
                        .given = given != 0};
    char subject[CE_SUBJECT];
    const char *name = run->alone ? run->parts->name : subject_of(judging, subject);
    if (run->parts->ranks < 2)
        ADD(judging, BANDWIDTH, CE_SKIP, name, "one GPU has nobody to add up with");
    else if (!rate.mbytes)
        ADD(judging, BANDWIDTH, CE_UNKNOWN, name, "no size that all of them measured");
    else
        add_rate(judging, name, &rate, bytes);
}

/* ---------------------------------------------------------------- transport */

static bool uses_sockets(const struct ce_nccl_node *part)
{
    return strcmp(part->log.network, "Socket") == 0 || strstr(part->log.via, "NET/Socket");
}

static void judge_node_transport(const struct judging *judging, const struct ce_nccl_node *part)
{
    if (!uses_sockets(part) || !part->rails)
        return;
    if (part->asked[0])
        ADD(judging, TRANSPORT, CE_WARN, part->name, "sockets, as %s says, where it has %u rails",
            part->asked, part->rails);
    else
        ADD(judging, TRANSPORT, CE_FAIL, part->name,
            "NCCL fell back to sockets, expected its %u rails", part->rails);
}

/* Within a node there is nothing to be judged by: the bandwidth tells. */
static void tell_transport(const struct judging *judging)
{
    const struct ce_nccl_node *part = judging->run->parts;
    if (part->log.via[0])
        ADD(judging, TRANSPORT, CE_PASS, part->name, "%s", part->log.via);
}

static void judge_transport(const struct judging *judging)
{
    const struct ce_nccl_run *run = judging->run;
    size_t before = judging->out->count;
    char subject[CE_SUBJECT];
    for (uint32_t i = 0; i < run->nodes; i++)
        judge_node_transport(judging, &run->parts[i]);
    const struct ce_nccl_log *log = &run->parts->log;
    if (judging->out->count > before || !all_done(run))
        return;
    if (!log->network[0] && !log->via[0])
        ADD(judging, TRANSPORT, CE_UNKNOWN, subject_of(judging, subject),
            "NCCL's log does not say");
    else
        ADD(judging, TRANSPORT, CE_PASS, subject_of(judging, subject), "%s%s%s", log->network,
            log->network[0] && log->via[0] ? ": " : "", log->via);
}

/* ---------------------------------------------------------------- runs */

static void judge_alone(const struct ce_nccl_run *run, const struct ce_nccl_limits *limits,
                        struct ce_findings *out)
{
    for (uint32_t i = 0; i < run->nodes; i++) {
        const struct ce_nccl_run one = {.nodes = 1, .alone = true, .parts = &run->parts[i]};
        const struct judging judging = {&one, limits, out};
        if (one.parts->outcome != CE_NCCL_DONE) {
            add_end(&judging, one.parts);
            continue;
        }
        judge_sums(&judging);
        judge_bandwidth(&judging, median_of(run, one.parts->gpu));
        tell_transport(&judging);
    }
}

void ce_bench_nccl_judge(const struct ce_nccl_run *run, const struct ce_nccl_limits *limits,
                         struct ce_findings *out)
{
    const struct judging judging = {run, limits, out};
    char subject[CE_SUBJECT];
    if (run->nodes == 0)
        return;
    if (run->not_run[0]) {
        ADD(&judging, START, CE_UNKNOWN, subject_of(&judging, subject), "not run: %s",
            run->not_run);
    } else if (run->alone) {
        judge_alone(run, limits, out);
    } else if (!all_done(run)) {
        add_ends(&judging);
        judge_transport(&judging);
    } else {
        judge_sums(&judging);
        judge_bandwidth(&judging, 0);
        judge_transport(&judging);
    }
}
