/* SPDX-License-Identifier: Apache-2.0 */
#include "health/bench_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "health/journal.h"
#include "report/findings.h"

enum { REASON_MAX = 64 << 10, KEEP_MS = 5000 };

static const char *const checks[] = {
    "bench.rdma.write", "bench.rdma.gpu", "bench.rdma.latency", "bench.gpu.start",
    "bench.gpu.h2d",    "bench.gpu.d2h",  "bench.gpu.d2d",      "bench.gpu.p2p",
    "bench.gpu.memory", "bench.gpu.load", "bench.gpu.ecc",      "bench.nccl.start",
    "bench.nccl.sum",   "bench.nccl.bandwidth",               "bench.nccl.transport",
};
enum { CHECKS = sizeof checks / sizeof *checks };

const char *ce_bench_run_check(size_t index)
{
    return index < CHECKS ? checks[index] : NULL;
}

bool ce_bench_run_covers(const struct ce_check_rule *rule)
{
    for (size_t i = 0; i < CHECKS; i++)
        if (ce_check_rule_covers(rule, checks[i]))
            return true;
    return false;
}

void ce_bench_run_respond(struct ce_findings *findings, const struct ce_policy *policy)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct ce_finding *finding = &findings->items[i];
        enum ce_response fault = CE_DRAIN, unknown = CE_TELL;
        ce_check_rules_lay(&policy->checks, finding->check, &fault, &unknown);
        if (finding->verdict == CE_FAIL)
            finding->response = fault;
        else if (finding->verdict == CE_UNKNOWN)
            finding->response = unknown;
        else if (finding->verdict == CE_WARN)
            finding->response = fault == CE_IGNORE ? CE_IGNORE : CE_TELL;
        else
            finding->response = CE_IGNORE;
    }
}

void ce_bench_run_reason(const struct ce_findings *findings, struct ce_text *out)
{
    ce_autotext struct ce_text reason = CE_TEXT(REASON_MAX);
    struct ce_error whole;
    ce_report_reason(findings, 0, &reason);
    ce_report_reason_cut(findings, ce_text_string(&reason), sizeof whole.text, out);
}

/* Stable, and few: a test looks at one thing after the other, the metrics want check by check. */
static int by_check(const void *a, const void *b)
{
    const struct ce_finding *const *x = a, *const *y = b;
    int order = strcmp((*x)->check, (*y)->check);
    return order ? order : (*x > *y) - (*x < *y);
}

static int sort(const struct ce_findings *findings, struct ce_findings *ret)
{
    ce_autofree const struct ce_finding **order = calloc(findings->count + 1, sizeof *order);
    ret->items = calloc(findings->count + 1, sizeof *ret->items);
    if (!order || !ret->items)
        return -1;
    for (size_t i = 0; i < findings->count; i++)
        order[i] = &findings->items[i];
    qsort(order, findings->count, sizeof *order, by_check);
    for (; ret->count < findings->count; ret->count++)
        ret->items[ret->count] = *order[ret->count];
    return 0;
}

int ce_bench_run_keep(const struct ce_bench_run *run, const struct ce_policy *policy,
                      struct ce_error *err)
{
    ce_autofindings struct ce_findings sorted = {.count = 0};
    ce_autotext struct ce_text reason = CE_TEXT(REASON_MAX);
    const unsigned took_ms = ce_clock_ms_since(run->began_ns);
    ce_bench_run_reason(run->findings, &reason);
    if (sort(run->findings, &sorted) < 0 || !ce_text_ok(&reason))
        return ce_fail(err, "no memory");
    const struct ce_run told = {
        .phase = "bench",
        .test = run->test,
        .node = run->node_name,
        .boot_id = run->boot_id,
        .mode = ce_mode_name(policy->mode),
        .began = time(NULL) - took_ms / 1000,
        .took_ms = took_ms,
        .reason = ce_text_string(&reason),
        .done = reason.length ? CE_DONE_OBSERVED : CE_DONE_NOTHING,
        .findings = &sorted,
        .measured = run->measured,
        .notes = run->notes,
    };
    return ce_journal_keep(&told, policy, KEEP_MS, err);
}
