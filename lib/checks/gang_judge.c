/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/gang_judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

struct gang {
    const struct ce_gang_seen *seen;
    uint32_t count;
    const struct ce_gang_limits *limits;
    struct ce_gang_verdict *verdicts;
};

static uint32_t after(const struct gang *gang, uint32_t i)
{
    return (i + 1) % gang->count;
}

static uint32_t before(const struct gang *gang, uint32_t i)
{
    return (i + gang->count - 1) % gang->count;
}

/* ---------------------------------------------------------------- links */

/* A link is named by the first of its two nodes: link i is between i and the one after it. */
enum status { GOOD, BAD, OPEN };

static enum ce_gang_reach reach_of(const struct gang *gang, uint32_t node, enum ce_gang_side side)
{
    const struct ce_gang_seen *seen = &gang->seen[node];
    return seen->came && !seen->view.out ? seen->view.links[side].reach : CE_GANG_UNTRIED;
}

/* It spoke with the judge, or with a neighbour. */
static bool is_present(const struct gang *gang, uint32_t node)
{
    return gang->seen[node].came ||
           reach_of(gang, before(gang, node), CE_GANG_NEXT) == CE_GANG_GOOD ||
           reach_of(gang, after(gang, node), CE_GANG_PREV) == CE_GANG_GOOD;
}

static bool is_settled(const struct gang *gang, uint32_t node)
{
    return is_present(gang, node) &&
           (!gang->seen[node].came || gang->seen[node].age_ms >= CE_GANG_SETTLED_MS);
}

static bool is_out(const struct gang *gang, uint32_t node)
{
    return gang->seen[node].came && gang->seen[node].view.out;
}

/* It says itself why nobody reaches it: other programs have its ports, which are silent where they take
 * no more connections. */
static bool cannot_listen(const struct gang *gang, uint32_t node)
{
    return gang->seen[node].came && reach_of(gang, node, CE_GANG_PREV) == CE_GANG_UNTRIED &&
           gang->seen[node].view.links[CE_GANG_PREV].why[0];
}

static enum status status_of(const struct gang *gang, uint32_t link)
{
    uint32_t other = after(gang, link);
    enum ce_gang_reach there = reach_of(gang, link, CE_GANG_NEXT),
                       back = reach_of(gang, other, CE_GANG_PREV);
    bool settled = is_settled(gang, link) && is_settled(gang, other);
    if (is_out(gang, link) || is_out(gang, other))
        return OPEN;
    if (there == CE_GANG_FAILED || back == CE_GANG_FAILED)
        return settled && !cannot_listen(gang, other) ? BAD : OPEN;
    return there == CE_GANG_GOOD || back == CE_GANG_GOOD ? GOOD : OPEN;
}

/* ---------------------------------------------------------------- whose fault */

static bool is_sick(const struct gang *gang, uint32_t node)
{
    uint32_t prev = before(gang, node), next = after(gang, node);
    return gang->count >= 3 && status_of(gang, prev) == BAD && status_of(gang, node) == BAD &&
           status_of(gang, before(gang, prev)) == GOOD && status_of(gang, next) == GOOD;
}

static void add_other(struct ce_gang_verdict *verdict, uint32_t other)
{
    if (verdict->other_count == 0 || verdict->others[0] != other)
        verdict->others[verdict->other_count++] = other;
}

/* What this node cannot be blamed for is passed over: a neighbour that is sick, silent or out. */
static void judge_link(const struct gang *gang, uint32_t node, uint32_t link, uint32_t other,
                       bool alone)
{
    struct ce_gang_verdict *verdict = &gang->verdicts[node];
    enum status status = status_of(gang, link);
    if (status == GOOD || is_out(gang, other) || is_sick(gang, other) || !is_present(gang, other))
        return;
    add_other(verdict, other);
    bool pair = status == BAD && alone && verdict->stand == CE_GANG_WELL;
    verdict->stand = pair ? CE_GANG_PAIR : CE_GANG_UNSURE;
}

static void judge_node(const struct gang *gang, uint32_t node)
{
    struct ce_gang_verdict *verdict = &gang->verdicts[node];
    uint32_t prev = before(gang, node), next = after(gang, node);
    bool alone = gang->count == 2 ||
                 (status_of(gang, prev) == BAD
                      ? status_of(gang, node) == GOOD && status_of(gang, before(gang, prev)) != BAD
                      : status_of(gang, next) != BAD && status_of(gang, prev) == GOOD);
    if (!is_present(gang, node))
        verdict->stand = CE_GANG_SILENT;
    else if (is_out(gang, node))
        verdict->stand = CE_GANG_OUT;
    else if (is_sick(gang, node)) {
        verdict->stand = CE_GANG_SICK;
        add_other(verdict, prev);
        add_other(verdict, next);
    } else {
        judge_link(gang, node, prev, prev, alone);
        if (gang->count > 2 || verdict->stand == CE_GANG_WELL)
            judge_link(gang, node, node, next, alone);
    }
}

/* ---------------------------------------------------------------- who is missing */

static void count_missing(const struct gang *gang, struct ce_gang_verdict *ret)
{
    for (uint32_t i = 0; i < gang->count; i++) {
        ret->out_count += gang->verdicts[i].stand == CE_GANG_OUT;
        if (gang->verdicts[i].stand != CE_GANG_SILENT)
            continue;
        if (ret->silent_count < CE_GANG_NAMED)
            ret->silent[ret->silent_count] = i;
        ret->silent_count++;
    }
}

bool ce_gang_is_held_up(const struct ce_gang_verdict *verdict, uint32_t count)
{
    return verdict->silent_count > 0 && verdict->silent_count < (count + 1) / 2;
}

/* ---------------------------------------------------------------- alike */

typedef const char *(*word_of)(const struct ce_gang_facts *facts, char buffer[16]);

static const char *count_of(const struct ce_gang_facts *facts, char buffer[16])
{
    static const char digits[] = "0123456789";
    uint32_t number = facts->rail_count;
    char *at = buffer + 15;
    *at = '\0';
    do
        *--at = digits[number % 10];
    while ((number /= 10) > 0);
    return at;
}

static const char *names_of(const struct ce_gang_facts *facts, char buffer[16])
{
    (void)buffer;
    return facts->rails;
}

static const char *firmware_of(const struct ce_gang_facts *facts, char buffer[16])
{
    (void)buffer;
    return facts->firmware;
}

/* Whose view was not heard in time has no rails and no firmware that could differ. */
static bool takes_part(const struct gang *gang, uint32_t node)
{
    return gang->seen[node].came && gang->seen[node].heard && !gang->seen[node].view.out;
}

/* The place of a node whose word more than half have; gang->count where there is none: by Boyer and
 * Moore, for there may be thousands. */
static uint32_t find_most(const struct gang *gang, word_of word)
{
    char a[16], b[16];
    uint32_t most = gang->count, votes = 0, have = 0, all = 0;
    for (uint32_t i = 0; i < gang->count; i++) {
        if (!takes_part(gang, i))
            continue;
        if (votes == 0)
            most = i;
        bool same = strcmp(word(&gang->seen[i].view.facts, a),
                           word(&gang->seen[most].view.facts, b)) == 0;
        votes = same ? votes + 1 : votes - 1;
    }
    for (uint32_t i = 0; i < gang->count; i++) {
        all += takes_part(gang, i);
        have += takes_part(gang, i) && strcmp(word(&gang->seen[i].view.facts, a),
                                              word(&gang->seen[most].view.facts, b)) == 0;
    }
    return all > 0 && have * 2 > all ? most : gang->count;
}

/* Where no word has most of the nodes nobody is the one that differs. */
static void judge_alike(const struct gang *gang, word_of word, enum ce_gang_differs differs)
{
    char a[16], b[16];
    uint32_t most = find_most(gang, word);
    for (uint32_t i = 0; i < gang->count; i++) {
        struct ce_gang_verdict *verdict = &gang->verdicts[i];
        if (!takes_part(gang, i) || verdict->differs != CE_GANG_SAME)
            continue;
        if (most == gang->count) {
            verdict->differs = CE_GANG_MIXED;
            continue;
        }
        const char *usual = word(&gang->seen[most].view.facts, b);
        if (strcmp(word(&gang->seen[i].view.facts, a), usual) == 0)
            continue;
        verdict->differs = differs;
        ce_copy(verdict->most, sizeof verdict->most, usual);
    }
}

/* ---------------------------------------------------------------- bandwidth */

static uint32_t figures_of(const struct gang *gang, uint32_t node)
{
    return takes_part(gang, node) ? ce_gang_figures(&gang->seen[node].view.facts) : 0;
}

/* What goes from a node to its neighbour on that side, by whoever measured it; 0: nobody. */
static uint32_t flow(const struct gang *gang, uint32_t node, enum ce_gang_side side, uint32_t rail)
{
    uint32_t other = side == CE_GANG_NEXT ? after(gang, node) : before(gang, node);
    const struct ce_gang_view *own = &gang->seen[node].view, *its = &gang->seen[other].view;
    if (takes_part(gang, node) && own->sent && own->links[side].mbps[rail])
        return own->links[side].mbps[rail];
    return takes_part(gang, other) && !its->sent ? its->links[!side].mbps[rail] : 0;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Of all rails of all nodes that something comes through, both ways; 0: there is none, or no memory. */
static uint32_t find_median(const struct gang *gang)
{
    uint32_t *all = calloc((size_t)gang->count * CE_GANG_RAILS * 2, sizeof *all), median = 0;
    size_t known = 0;
    if (!all)
        return 0;
    for (uint32_t i = 0; i < gang->count; i++)
        for (uint32_t rail = 0; rail < figures_of(gang, i); rail++)
            for (int side = CE_GANG_PREV; side <= CE_GANG_NEXT; side++) {
                all[known] = flow(gang, i, (enum ce_gang_side)side, rail);
                known += all[known] > CE_GANG_DEAD;
            }
    qsort(all, known, sizeof *all, compare);
    if (known > 0)
        median = all[known / 2];
    free(all);
    return median;
}

struct limit {
    uint32_t floor_mbps, median_mbps; /* what is less than one of them is slow */
};

static bool is_slow(uint32_t mbps, const struct limit *limit)
{
    return mbps && (mbps <= CE_GANG_DEAD || mbps < limit->floor_mbps || mbps < limit->median_mbps);
}

static void add_slow(struct ce_gang_verdict *verdict, const struct limit *limit,
                     struct ce_gang_slow slow)
{
    slow.floor = slow.mbps < limit->floor_mbps;
    slow.limit_mbps = slow.floor ? limit->floor_mbps : limit->median_mbps;
    if (verdict->slow_count < CE_GANG_SLOW_MAX)
        verdict->slow[verdict->slow_count++] = slow;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_fine(uint32_t mbps, const struct limit *limit)
{
    return mbps && !is_slow(mbps, limit);
}

/* Toward both neighbours, or from both, and one of them takes from, or sends to, its other one what it
 * should: it is this node's.  Where one does not, a longer row is slow, or all are, and whose it is cannot be
 * told.  That of one of them nothing is known, as where its other one could not measure, says neither. */
static bool is_own(const struct gang *gang, uint32_t node, uint32_t rail, enum ce_gang_way way,
                   const struct limit *limit, uint32_t *mbps)
{
    uint32_t prev = before(gang, node), next = after(gang, node);
    bool sends = way == CE_GANG_SENDS;
    uint32_t a = sends ? flow(gang, node, CE_GANG_PREV, rail) : flow(gang, prev, CE_GANG_NEXT, rail),
             b = sends ? flow(gang, node, CE_GANG_NEXT, rail) : flow(gang, next, CE_GANG_PREV, rail),
             beyond_a = sends ? flow(gang, before(gang, prev), CE_GANG_NEXT, rail)
                              : flow(gang, prev, CE_GANG_PREV, rail),
             beyond_b = sends ? flow(gang, after(gang, next), CE_GANG_PREV, rail)
                              : flow(gang, next, CE_GANG_NEXT, rail);
    *mbps = lesser(a, b);
    return gang->count >= 3 && is_slow(a, limit) && is_slow(b, limit) &&
           !is_slow(beyond_a, limit) && !is_slow(beyond_b, limit) &&
           (is_fine(beyond_a, limit) || is_fine(beyond_b, limit));
}

/* One of its links alone is slow, and its neighbour there is not to blame. */
static void judge_between(const struct gang *gang, uint32_t node, enum ce_gang_side side,
                          uint32_t rail, const struct limit *limit)
{
    uint32_t other = side == CE_GANG_NEXT ? after(gang, node) : before(gang, node), ignored;
    uint32_t there = flow(gang, node, side, rail),
             back = flow(gang, other, (enum ce_gang_side) !side, rail);
    uint32_t least = is_slow(there, limit) && is_slow(back, limit) ? lesser(there, back)
                     : is_slow(there, limit)                         ? there
                                                                     : back;
    if (!is_slow(least, limit) ||
        (is_slow(there, limit) && is_own(gang, other, rail, CE_GANG_TAKES, limit, &ignored)) ||
        (is_slow(back, limit) && is_own(gang, other, rail, CE_GANG_SENDS, limit, &ignored)))
        return;
    add_slow(&gang->verdicts[node], limit,
             (struct ce_gang_slow){
                 .rail = rail, .mbps = least, .other = other, .way = CE_GANG_BETWEEN});
}

static void judge_rail(const struct gang *gang, uint32_t node, uint32_t rail,
                       const struct limit *limit)
{
    bool own = false;
    for (int way = CE_GANG_SENDS; way <= CE_GANG_TAKES; way++) {
        uint32_t mbps;
        if (!is_own(gang, node, rail, (enum ce_gang_way)way, limit, &mbps))
            continue;
        own = true;
        add_slow(&gang->verdicts[node], limit,
                 (struct ce_gang_slow){
                     .rail = rail, .mbps = mbps, .other = node, .way = (enum ce_gang_way)way});
    }
    if (own)
        return;
    uint32_t known = gang->verdicts[node].slow_count;
    judge_between(gang, node, CE_GANG_PREV, rail, limit);
    if (gang->count > 2 || gang->verdicts[node].slow_count == known)
        judge_between(gang, node, CE_GANG_NEXT, rail, limit);
}

static void judge_bandwidth(const struct gang *gang)
{
    const struct ce_gang_limits *limits = gang->limits;
    uint32_t median = find_median(gang);
    struct limit limit = {.floor_mbps = limits->floor_mbps};
    if (limits->below_percent)
        limit.median_mbps = (uint32_t)((uint64_t)median * (100 - limits->below_percent) / 100);
    for (uint32_t i = 0; i < gang->count; i++) {
        gang->verdicts[i].median_mbps = median;
        for (uint32_t rail = 0; rail < figures_of(gang, i); rail++)
            judge_rail(gang, i, rail, &limit);
    }
}

void ce_gang_judge(const struct ce_gang_seen *seen, uint32_t count,
                   const struct ce_gang_limits *limits, struct ce_gang_verdict *verdicts)
{
    const struct gang gang = {seen, count, limits, verdicts};
    struct ce_gang_verdict missing = {.silent_count = 0};
    for (uint32_t i = 0; i < count; i++) {
        verdicts[i] = (struct ce_gang_verdict){.stand = CE_GANG_WELL};
        judge_node(&gang, i);
    }
    judge_alike(&gang, count_of, CE_GANG_COUNT);
    judge_alike(&gang, names_of, CE_GANG_NAMES);
    judge_alike(&gang, firmware_of, CE_GANG_FIRMWARE);
    judge_bandwidth(&gang);
    count_missing(&gang, &missing);
    for (uint32_t i = 0; i < count; i++) {
        verdicts[i].silent_count = missing.silent_count;
        verdicts[i].out_count = missing.out_count;
        memcpy(verdicts[i].silent, missing.silent, sizeof missing.silent);
    }
}
