/* SPDX-License-Identifier: Apache-2.0 */
/* What an all-reduce over all GPUs of a job says of this node.  What several nodes did together is
 * nobody's fault: only what a node does wrong alone, too, is its own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/bench_nccl.h"
#include "checks/check.h"

/* One message of modest size, once: half of what the largest ones should have is what it must have.
 */
enum { FLOOR_SHARE = 2, PER_GB = 1000 };

static const char no_gang[] = "the nodes of a job tell it each other before it starts",
                  no_mode[] = "preflight.mode is not \"nccl\"",
                  not_run[] = "no all-reduce was made";

/* Why there is nothing of one to judge; NULL: there is. */
static const char *why_nothing(const struct ce_check_view *view)
{
    const struct ce_gang *gang = view->gang;
    if (!gang && !view->gang_unknown)
        return no_gang;
    if (!view->gang_nccl)
        return no_mode;
    return gang && gang->nccl.ran ? NULL : not_run;
}

/* The all-reduce that is judged; NULL, and said why, where there was none. */
static const struct ce_gang_nccl *judged(const struct ce_check_view *view, struct ce_findings *out)
{
    const char *why = why_nothing(view);
    if (!why)
        return &view->gang->nccl;
    ce_findings_add(out, CE_SKIP, "", "%s", why);
    return NULL;
}

static uint32_t count_of(const struct ce_check_view *view)
{
    return (uint32_t)ce_hostlist_count(view->gang_nodes);
}

static const char *subject_of(const struct ce_check_view *view, char text[CE_SUBJECT])
{
    snprintf(text, CE_SUBJECT, "%u nodes", count_of(view));
    return text;
}

/* ---------------------------------------------------------------- gang.nccl.start */

static void add_not_run(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gang *gang = view->gang;
    const struct ce_gang_nccl_word *word = gang ? &gang->verdict.nccl : NULL;
    if (!gang)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", view->gang_unknown);
    else if (gang->end == CE_GANG_UNKNOWN)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", gang->why);
    else if (gang->end == CE_GANG_ISOLATED)
        ce_findings_add(out, CE_SKIP, "", "no other node was heard");
    else if (word->plan == CE_GANG_NCCL_NONE)
        ce_findings_add(out, CE_UNKNOWN, "", "the first node of the job arranged none");
    else if (word->plan == CE_GANG_NCCL_GO)
        ce_findings_add(out, CE_UNKNOWN, "", "it was arranged, and did not begin here");
    else
        ce_findings_add(out, word->plan == CE_GANG_NCCL_SKIP ? CE_SKIP : CE_UNKNOWN,
                        word->named && word->node < count_of(view)
                            ? ce_hostlist_name(view->gang_nodes, word->node)
                            : "",
                        "%s", word->why);
}

/* NCCL gives up for much that is not this node's: a library too new for the driver, a setting,
 * another node.  What the driver says of a GPU's hardware is. */
static void add_failed(const struct ce_gang_nccl *nccl, struct ce_findings *out)
{
    if (nccl->together.hardware)
        ce_findings_add(out, CE_FAIL, "", "%s", nccl->together.reason);
    else
        ce_findings_add(out, CE_UNKNOWN, "", "%.120s%s%.60s", nccl->together.reason,
                        nccl->log.warning[0] ? "; NCCL: " : "", nccl->log.warning);
}

static void judge_start(const struct ce_check_view *view, struct ce_findings *out)
{
    static const char *const doing[CE_NCCL_STAGES] = {
        "when it takes its GPUs", "when the nodes meet", "when NCCL connects", "when it adds up"};
    const char *why = why_nothing(view);
    if (why == not_run)
        add_not_run(view, out);
    if (why == no_gang || why == no_mode)
        ce_findings_add(out, CE_SKIP, "", "%s", why);
    if (why)
        return;
    const struct ce_gang_nccl *nccl = &view->gang->nccl;
    switch (nccl->together.outcome) {
    case CE_NCCL_DONE:
        ce_findings_add(out, CE_PASS, "", "%u GPUs of %u nodes added up", nccl->ranks,
                        count_of(view));
        break;
    case CE_NCCL_FAILED:
        add_failed(nccl, out);
        break;
    case CE_NCCL_LATE:
        ce_findings_add(out, CE_UNKNOWN, "", "it hangs %s: %s", doing[nccl->together.at],
                        nccl->together.reason);
        break;
    case CE_NCCL_SILENT:
    case CE_NCCL_SKIPPED:
    case CE_NCCL_OTHERS:
        ce_findings_add(out, CE_UNKNOWN, "", "%s", nccl->together.reason);
        break;
    }
}

/* ---------------------------------------------------------------- gang.nccl.sum */

/* A wrong sum may be the work of any node that handed it on. */
static void add_wrong(const struct ce_gang_nccl *nccl, struct ce_findings *out)
{
    uint64_t wrong = nccl->together.wrong;
    if (nccl->repeated && nccl->alone.wrong)
        ce_findings_add(out, CE_FAIL, "",
                        "%" PRIu64 " wrong sums, also without the other nodes: %" PRIu64, wrong,
                        nccl->alone.wrong);
    else if (nccl->repeated && nccl->alone.hardware)
        ce_findings_add(out, CE_FAIL, "",
                        "%" PRIu64 " wrong sums, and without the other nodes: %s", wrong,
                        nccl->alone.reason);
    else if (nccl->repeated && nccl->alone.outcome == CE_NCCL_DONE)
        ce_findings_add(out, CE_UNKNOWN, "",
                        "%" PRIu64
                        " wrong sums, right ones without the other nodes: a rail, or another node",
                        wrong);
    else
        ce_findings_add(out, CE_UNKNOWN, "",
                        "%" PRIu64 " wrong sums, whose fault it is cannot be told", wrong);
}

static void judge_sum(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gang_nccl *nccl = judged(view, out);
    if (!nccl)
        return;
    if (!nccl->bytes)
        ce_findings_add(out, CE_SKIP, "", "no sums were made");
    else if (nccl->together.wrong)
        add_wrong(nccl, out);
    else
        ce_findings_add(out, CE_PASS, "", "all sums are right, of %u GPUs", nccl->ranks);
}

/* ---------------------------------------------------------------- gang.nccl.bandwidth */

/* Cut, not rounded, as what is measured by hand. */
static double to_gbytes(uint64_t mbytes)
{
    return (double)(mbytes / 10) / 100;
}

/* Half of the site's, or of what is known of the model, where all nodes have as many GPUs as this
 * one. */
static uint64_t floor_of(const struct ce_check_view *view, const struct ce_gang_nccl *nccl)
{
    uint32_t floor = view->gang_gbytes;
    if (!floor && nccl->ranks == nccl->gpus * count_of(view))
        floor = ce_nccl_floor_of_model(nccl->gpu, nccl->gpus, false);
    return (uint64_t)floor * PER_GB / FLOOR_SHARE;
}

static void judge_bandwidth(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gang_nccl *nccl = judged(view, out);
    char subject[CE_SUBJECT];
    if (!nccl)
        return;
    uint64_t rate = ce_nccl_bus_mbytes(nccl->bytes, nccl->ns, nccl->ranks),
             floor = floor_of(view, nccl);
    if (!rate)
        ce_findings_add(out, CE_SKIP, "", "nothing was measured");
    else if (rate < floor)
        ce_findings_add(out, CE_WARN, subject_of(view, subject),
                        "%.2f GB/s over %u GPUs, expected at least %g", to_gbytes(rate),
                        nccl->ranks, (double)floor / PER_GB);
    else
        ce_findings_add(out, CE_PASS, subject_of(view, subject), "%.2f GB/s over %u GPUs",
                        to_gbytes(rate), nccl->ranks);
}

/* ---------------------------------------------------------------- gang.nccl.transport */

static bool uses_sockets(const struct ce_nccl_log *log)
{
    return strcmp(log->network, "Socket") == 0 || strstr(log->via, "NET/Socket");
}

static void judge_transport(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gang_nccl *nccl = judged(view, out);
    char subject[CE_SUBJECT];
    if (!nccl)
        return;
    const struct ce_nccl_log *log = &nccl->log;
    uint32_t rails = view->gang->own.facts.rail_count;
    if (!log->network[0] && !log->via[0])
        ce_findings_add(out, nccl->together.outcome == CE_NCCL_DONE ? CE_UNKNOWN : CE_SKIP, "",
                        "NCCL's log does not say");
    else if (uses_sockets(log) && rails)
        ce_findings_add(out, CE_WARN, "", "NCCL fell back to sockets, expected its %u rails",
                        rails);
    else
        ce_findings_add(out, CE_PASS, subject_of(view, subject), "%s%s%s", log->network,
                        log->network[0] && log->via[0] ? ": " : "", log->via);
}

const struct ce_check ce_gang_nccl_checks[] = {
    {"gang.nccl.start", CE_PREFLIGHT, CE_DRAIN, CE_TELL, 0, "node",
     "test the GPUs with 'cluster-env bench gpu', NCCL with 'cluster-env bench nccl'",
     "all GPUs of a job can add up together", judge_start},
    {"gang.nccl.sum", CE_PREFLIGHT, CE_DRAIN, CE_TELL, 0, "node",
     "test memory and computing of the GPUs with 'cluster-env bench gpu', and exchange the one "
     "that is wrong",
     "what the GPUs of a job add up is right", judge_sum},
    {"gang.nccl.bandwidth", CE_PREFLIGHT, CE_TELL, CE_TELL, 0, "gang",
     "measure with 'cluster-env bench nccl' in a job, and the rails with 'cluster-env bench rdma'",
     "the GPUs of a job add up with the bandwidth expected", judge_bandwidth},
    {"gang.nccl.transport", CE_PREFLIGHT, CE_TELL, CE_TELL, 0, "node",
     "check the rails with 'cluster-env check', and that jobs may use them: memlock, "
     "/dev/infiniband",
     "NCCL uses the rails between the nodes of a job", judge_transport},
};
const size_t ce_gang_nccl_check_count = sizeof ce_gang_nccl_checks / sizeof *ce_gang_nccl_checks;
