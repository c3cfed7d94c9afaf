/* SPDX-License-Identifier: Apache-2.0 */
/* What the preflight of a job's nodes found of this one. */
#include <stdio.h>
#include <string.h>

#include "checks/check.h"
#include "model/gang.h"

static const char network[] = "cluster network";

/* NULL, and said why, where there is nothing to judge. */
static const struct ce_gang *judged(const struct ce_check_view *view, struct ce_findings *out)
{
    if (view->gang && view->gang->end != CE_GANG_UNKNOWN)
        return view->gang;
    if (view->gang)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", view->gang->why);
    else if (view->gang_unknown)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", view->gang_unknown);
    else
        ce_findings_add(out, CE_SKIP, "", "the nodes of a job tell it each other before it starts");
    return NULL;
}

static const char *name_of(const struct ce_check_view *view, uint32_t node)
{
    return node < ce_hostlist_count(view->gang_nodes) ? ce_hostlist_name(view->gang_nodes, node)
                                                      : "?";
}

/* ---------------------------------------------------------------- gang.reach */

static void add_silent(const struct ce_check_view *view, const struct ce_gang_verdict *verdict,
                       struct ce_findings *out)
{
    uint32_t named = verdict->silent_count < CE_GANG_NAMED ? verdict->silent_count : CE_GANG_NAMED;
    for (uint32_t i = 0; i < named; i++)
        ce_findings_add(out, CE_UNKNOWN, name_of(view, verdict->silent[i]),
                        "never came to the preflight");
    if (verdict->silent_count > named)
        ce_findings_add(out, CE_UNKNOWN, "", "%u more nodes never came to the preflight",
                        verdict->silent_count - named);
}

static void add_stand(const struct ce_check_view *view, const struct ce_gang *gang,
                      struct ce_findings *out)
{
    const struct ce_gang_verdict *verdict = &gang->verdict;
    const struct ce_gang_link *links = gang->own.links;
    const char *why = links[CE_GANG_NEXT].why[0] ? links[CE_GANG_NEXT].why : links[CE_GANG_PREV].why;
    const char *a = name_of(view, verdict->others[0]), *b = name_of(view, verdict->others[1]);
    bool both = verdict->other_count == 2;
    switch (verdict->stand) {
    case CE_GANG_WELL:
        ce_findings_add(out, CE_PASS, "", "reaches the nodes of the job that came");
        break;
    case CE_GANG_SICK:
        ce_findings_add(out, CE_FAIL, network, "fails toward %.40s and %.40s, who reach others", a, b);
        break;
    case CE_GANG_PAIR:
        ce_findings_add(out, CE_UNKNOWN, a, "fails with this node alone: the path, or either end%s%.60s",
                        why[0] ? ": " : "", why);
        break;
    case CE_GANG_UNSURE:
        ce_findings_add(out, CE_UNKNOWN, network,
                        "fails toward %.40s%s%.40s, whose fault it is cannot be told%s%.40s", a,
                        both ? " and " : "", both ? b : "", why[0] ? ": " : "", why);
        break;
    case CE_GANG_SILENT:
    case CE_GANG_OUT:
        ce_findings_add(out, CE_UNKNOWN, "", "it was not heard");
        break;
    }
}

static void judge_reach(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gang *gang = judged(view, out);
    if (!gang)
        return;
    if (gang->end == CE_GANG_ISOLATED) {
        ce_findings_add(out, CE_FAIL, network,
                        "reaches no node of the job: %.90s", gang->why);
        return;
    }
    add_stand(view, gang, out);
    add_silent(view, &gang->verdict, out);
}

/* ---------------------------------------------------------------- gang.agree */

static void judge_agree(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gang *gang = judged(view, out);
    if (!gang)
        return;
    const struct ce_gang_facts *own = &gang->own.facts;
    const char *most = gang->verdict.most;
    if (gang->end == CE_GANG_ISOLATED) {
        ce_findings_add(out, CE_UNKNOWN, "", "no other node was heard");
        return;
    }
    switch (gang->verdict.differs) {
    case CE_GANG_SAME:
        ce_findings_add(out, CE_PASS, "", "%u rails, as the others", own->rail_count);
        break;
    case CE_GANG_COUNT:
        ce_findings_add(out, CE_WARN, "", "%u rails, most nodes of the job have %.20s",
                        own->rail_count, most);
        break;
    case CE_GANG_NAMES:
        ce_findings_add(out, CE_WARN, "", "rails %.50s, most nodes of the job have %.50s", own->rails,
                        most);
        break;
    case CE_GANG_FIRMWARE:
        ce_findings_add(out, CE_WARN, "", "firmware %.50s, most nodes of the job have %.50s",
                        own->firmware, most);
        break;
    case CE_GANG_MIXED:
        ce_findings_add(out, CE_WARN, "", "the nodes of the job differ in rails or firmware, and no kind is most");
        break;
    }
}

/* ---------------------------------------------------------------- gang.rail.bandwidth */

/* The name of one figure: of a rail, or the network. */
static const char *figure_name(const struct ce_gang *gang, uint32_t rail, char name[CE_SUBJECT])
{
    const char *at = gang->own.facts.rails;
    if (gang->own.facts.measured == 0)
        return network;
    for (; rail > 0 && *at; rail--) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    snprintf(name, CE_SUBJECT, "%.*s", (int)strcspn(at, ","), at);
    return name;
}

enum { RATE = 24 };

/* Cut, not rounded: what is below a limit must not look like it. */
static const char *format_rate(uint32_t mbps, char rate[RATE])
{
    if (mbps < 100)
        snprintf(rate, RATE, "%u Mb/s", mbps);
    else
        snprintf(rate, RATE, "%g Gb/s",
                 mbps < 10000 ? (double)(mbps / 10) / 100 : (double)(mbps / 100) / 10);
    return rate;
}

static void add_slow(const struct ce_check_view *view, const struct ce_gang *gang,
                     const struct ce_gang_slow *slow, struct ce_findings *out)
{
    static const char *const ways[] = {"to both neighbours", "from both neighbours"};
    char name[CE_SUBJECT], what[96], than[64], rate[RATE];
    bool between = slow->way == CE_GANG_BETWEEN;
    if (between)
        snprintf(what, sizeof what, "with %.40s (the path, or either end)", name_of(view, slow->other));
    else
        snprintf(what, sizeof what, "%s", ways[slow->way]);
    if (slow->mbps <= CE_GANG_DEAD) {
        ce_findings_add(out, between ? CE_WARN : CE_FAIL, figure_name(gang, slow->rail, name),
                        "nothing comes through %s", what);
        return;
    }
    if (slow->floor)
        snprintf(than, sizeof than, "expected at least %g Gb/s", slow->limit_mbps / 1000.0);
    else
        snprintf(than, sizeof than, "the median of the job's nodes is %s",
                 format_rate(gang->verdict.median_mbps, rate));
    ce_findings_add(out, slow->floor && !between ? CE_FAIL : CE_WARN,
                    figure_name(gang, slow->rail, name), "%s %s, %s",
                    format_rate(slow->mbps, rate), what, than);
}

static uint32_t least_of(const struct ce_gang *gang, uint32_t rail)
{
    uint32_t a = gang->own.links[CE_GANG_PREV].mbps[rail], b = gang->own.links[CE_GANG_NEXT].mbps[rail];
    return !a || (b && b < a) ? b : a;
}

static void add_well(const struct ce_gang *gang, struct ce_findings *out)
{
    char name[CE_SUBJECT], rate[RATE];
    bool measured = false;
    for (uint32_t rail = 0; rail < ce_gang_figures(&gang->own.facts); rail++) {
        uint32_t least = least_of(gang, rail);
        if (!least)
            continue;
        measured = true;
        ce_findings_add(out, CE_PASS, figure_name(gang, rail, name), "%s with the neighbours",
                        format_rate(least, rate));
    }
    if (!measured)
        ce_findings_add(out, CE_UNKNOWN, "", "nothing was measured");
}

static void judge_bandwidth(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gang *gang = judged(view, out);
    if (!gang)
        return;
    if (!gang->own.facts.whole) {
        ce_findings_add(out, CE_SKIP, "", "other jobs may be on the node");
        return;
    }
    for (uint32_t i = 0; i < gang->verdict.slow_count; i++)
        add_slow(view, gang, &gang->verdict.slow[i], out);
    if (!gang->verdict.slow_count)
        add_well(gang, out);
}

const struct ce_check ce_gang_checks[] = {
    {"gang.reach", CE_PREFLIGHT, CE_DRAIN, CE_TELL, 0, "path",
     "check the cable and switch port of its cluster network", "the nodes of a job reach each other",
     judge_reach},
    {"gang.agree", CE_PREFLIGHT, CE_TELL, CE_TELL, 0, "difference",
     "make rails and firmware the same on all nodes", "the nodes of a job have equal rails",
     judge_agree},
    {"gang.rail.bandwidth", CE_PREFLIGHT, CE_TELL, CE_TELL, 0, "rail",
     "run cluster-env bench rdma between idle nodes, then look at PCIe link, cable and switch port",
     "the nodes of a job carry the bandwidth expected between them", judge_bandwidth},
};
const size_t ce_gang_check_count = sizeof ce_gang_checks / sizeof *ce_gang_checks;
