/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gang.h"

#include <stdio.h>
#include <string.h>

#include "model/gang_fields.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const side_names[] = {"prev", "next"};
static const char *const reach_names[] = {"untried", "good", "failed"};
static const char *const stand_names[] = {"well", "sick", "pair", "unsure", "silent", "out"};
static const char *const differs_names[] = {"same", "count", "names", "firmware", "mixed"};
static const char *const way_names[] = {"sends", "takes", "between"};
static const char *const end_names[] = {"judged", "isolated", "unknown"};

/* ---------------------------------------------------------------- a view */

static void write_link(const struct ce_gang_link *link, const char *side, uint32_t figures,
                       struct ce_text *out)
{
    ce_record_add(out, reach_names[link->reach], "%s", side);
    if (link->why[0])
        ce_record_add(out, link->why, "%s.why", side);
    for (uint32_t i = 0; i < figures; i++)
        if (link->mbps[i])
            ce_record_add_number(out, link->mbps[i], "%s.mbps.%u", side, i);
}

void ce_gang_view_write(const struct ce_gang_view *view, struct ce_text *out)
{
    const struct ce_gang_facts *facts = &view->facts;
    ce_record_add_number(out, view->final, "final");
    ce_record_add_number(out, view->out, "out");
    ce_record_add_number(out, view->sent, "sent");
    ce_record_add_number(out, facts->whole, "whole");
    ce_record_add_number(out, facts->rail_count, "rail_count");
    ce_record_add_number(out, facts->measured, "measured");
    ce_record_add(out, facts->rails, "rails");
    ce_record_add(out, facts->firmware, "firmware");
    for (unsigned side = 0; side < COUNT(side_names); side++)
        write_link(&view->links[side], side_names[side], ce_gang_figures(facts), out);
    ce_gang_nccl_part_write(&view->nccl, out);
}

static int read_link(const struct ce_record *record, const char *side, uint32_t figures,
                     struct ce_gang_link *ret, struct ce_error *err)
{
    char key[32];
    unsigned reach;
    snprintf(key, sizeof key, "%s.why", side);
    if (ce_gang_read_name(record, side, reach_names, COUNT(reach_names), &reach, err) < 0 ||
        ce_gang_read_text(record, key, ret->why, sizeof ret->why, err) < 0)
        return -1;
    ret->reach = (enum ce_gang_reach)reach;
    for (uint32_t i = 0; i < figures; i++) {
        snprintf(key, sizeof key, "%s.mbps.%u", side, i);
        if (ce_gang_read_number(record, key, UINT32_MAX, &ret->mbps[i], err) < 0)
            return -1;
    }
    return 0;
}

int ce_gang_view_read(const struct ce_record *record, struct ce_gang_view *ret,
                      struct ce_error *err)
{
    struct ce_gang_view view = {.final = false};
    struct ce_gang_facts *facts = &view.facts;
    if (ce_gang_read_switch(record, "final", &view.final, err) < 0 ||
        ce_gang_read_switch(record, "out", &view.out, err) < 0 ||
        ce_gang_read_switch(record, "sent", &view.sent, err) < 0 ||
        ce_gang_read_switch(record, "whole", &facts->whole, err) < 0 ||
        ce_gang_read_number(record, "rail_count", 8192, &facts->rail_count, err) < 0 ||
        ce_gang_read_number(record, "measured", CE_GANG_RAILS, &facts->measured, err) < 0 ||
        ce_gang_read_text(record, "rails", facts->rails, sizeof facts->rails, err) < 0 ||
        ce_gang_read_text(record, "firmware", facts->firmware, sizeof facts->firmware, err) < 0)
        return -1;
    for (unsigned side = 0; side < COUNT(side_names); side++)
        if (read_link(record, side_names[side], ce_gang_figures(facts), &view.links[side], err) < 0)
            return -1;
    if (ce_gang_nccl_part_read(record, &view.nccl, err) < 0)
        return -1;
    *ret = view;
    return 0;
}

/* ---------------------------------------------------------------- a verdict */

static void write_nodes(const uint32_t *nodes, uint32_t count, const char *key, struct ce_text *out)
{
    for (uint32_t i = 0; i < count; i++)
        ce_record_add_number(out, nodes[i], "%s.%u", key, i);
}

static void write_slow(const struct ce_gang_slow *slow, uint32_t index, struct ce_text *out)
{
    ce_record_add(out, way_names[slow->way], "slow.%u.way", index);
    ce_record_add_number(out, slow->rail, "slow.%u.rail", index);
    ce_record_add_number(out, slow->mbps, "slow.%u.mbps", index);
    ce_record_add_number(out, slow->limit_mbps, "slow.%u.limit", index);
    ce_record_add_number(out, slow->other, "slow.%u.other", index);
    ce_record_add_number(out, slow->floor, "slow.%u.floor", index);
}

void ce_gang_verdict_write(const struct ce_gang_verdict *verdict, struct ce_text *out)
{
    uint32_t named = verdict->silent_count < CE_GANG_NAMED ? verdict->silent_count : CE_GANG_NAMED;
    ce_record_add(out, stand_names[verdict->stand], "stand");
    ce_record_add_number(out, verdict->other_count, "others");
    write_nodes(verdict->others, verdict->other_count, "other", out);
    ce_record_add(out, differs_names[verdict->differs], "differs");
    ce_record_add(out, verdict->most, "most");
    ce_record_add_number(out, verdict->median_mbps, "median");
    ce_record_add_number(out, verdict->slow_count, "slow");
    for (uint32_t i = 0; i < verdict->slow_count; i++)
        write_slow(&verdict->slow[i], i, out);
    ce_record_add_number(out, verdict->silent_count, "silent");
    write_nodes(verdict->silent, named, "silent", out);
    ce_record_add_number(out, verdict->out_count, "outs");
    ce_gang_nccl_word_write(&verdict->nccl, out);
}

static int read_nodes(const struct ce_record *record, const char *name, uint32_t nodes,
                      uint32_t count, uint32_t *ret, struct ce_error *err)
{
    char key[32];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%s.%u", name, i);
        if (ce_gang_read_number(record, key, nodes - 1, &ret[i], err) < 0)
            return -1;
    }
    return 0;
}

static int read_slow(const struct ce_record *record, uint32_t index, uint32_t nodes,
                     struct ce_gang_slow *ret, struct ce_error *err)
{
    char prefix[32], key[48];
    unsigned way;
    const struct {
        const char *name;
        uint32_t *number, max;
    } numbers[] = {
        {"rail", &ret->rail, CE_GANG_RAILS - 1},
        {"mbps", &ret->mbps, UINT32_MAX},
        {"limit", &ret->limit_mbps, UINT32_MAX},
        {"other", &ret->other, nodes - 1},
    };
    snprintf(prefix, sizeof prefix, "slow.%u", index);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        snprintf(key, sizeof key, "%s.%s", prefix, numbers[i].name);
        if (ce_gang_read_number(record, key, numbers[i].max, numbers[i].number, err) < 0)
            return -1;
    }
    snprintf(key, sizeof key, "%s.floor", prefix);
    if (ce_gang_read_switch(record, key, &ret->floor, err) < 0)
        return -1;
    snprintf(key, sizeof key, "%s.way", prefix);
    if (ce_gang_read_name(record, key, way_names, COUNT(way_names), &way, err) < 0)
        return -1;
    ret->way = (enum ce_gang_way)way;
    return 0;
}

static int read_counts(const struct ce_record *record, uint32_t nodes, struct ce_gang_verdict *ret,
                       struct ce_error *err)
{
    if (ce_gang_read_number(record, "others", 2, &ret->other_count, err) < 0 ||
        ce_gang_read_number(record, "slow", CE_GANG_SLOW_MAX, &ret->slow_count, err) < 0 ||
        ce_gang_read_number(record, "silent", nodes, &ret->silent_count, err) < 0 ||
        ce_gang_read_number(record, "outs", nodes, &ret->out_count, err) < 0)
        return -1;
    return ce_gang_read_number(record, "median", UINT32_MAX, &ret->median_mbps, err);
}

int ce_gang_verdict_read(const struct ce_record *record, uint32_t count,
                         struct ce_gang_verdict *ret, struct ce_error *err)
{
    struct ce_gang_verdict verdict = {.most = ""};
    unsigned stand, differs;
    if (count == 0)
        return ce_fail(err, "there are no nodes");
    if (ce_gang_read_name(record, "stand", stand_names, COUNT(stand_names), &stand, err) < 0 ||
        ce_gang_read_name(record, "differs", differs_names, COUNT(differs_names), &differs, err) < 0 ||
        ce_gang_read_text(record, "most", verdict.most, sizeof verdict.most, err) < 0 ||
        read_counts(record, count, &verdict, err) < 0)
        return -1;
    uint32_t named = verdict.silent_count < CE_GANG_NAMED ? verdict.silent_count : CE_GANG_NAMED;
    if (read_nodes(record, "other", count, verdict.other_count, verdict.others, err) < 0 ||
        read_nodes(record, "silent", count, named, verdict.silent, err) < 0 ||
        ce_gang_nccl_word_read(record, count, &verdict.nccl, err) < 0)
        return -1;
    for (uint32_t i = 0; i < verdict.slow_count; i++)
        if (read_slow(record, i, count, &verdict.slow[i], err) < 0)
            return -1;
    verdict.stand = (enum ce_gang_stand)stand;
    verdict.differs = (enum ce_gang_differs)differs;
    *ret = verdict;
    return 0;
}

/* ---------------------------------------------------------------- what a node reports */

void ce_gang_write(const struct ce_gang *gang, struct ce_text *out)
{
    ce_record_begin(out);
    ce_record_add(out, end_names[gang->end], "ended");
    ce_record_add(out, gang->why, "why");
    ce_record_add_number(out, gang->requeue, "requeue");
    ce_record_add_number(out, gang->judge, "judge");
    ce_record_add_number(out, gang->took_ms, "took");
    ce_record_add_number(out, gang->refused, "refused");
    ce_record_add(out, gang->refusal, "refusal");
    ce_gang_view_write(&gang->own, out);
    ce_gang_verdict_write(&gang->verdict, out);
    ce_gang_nccl_write(&gang->nccl, out);
    ce_record_end(out);
}

int ce_gang_parse(const char *text, uint32_t count, struct ce_gang *ret, struct ce_error *err)
{
    struct ce_gang gang = {.why = ""};
    unsigned end;
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record || ce_gang_read_name(record, "ended", end_names, COUNT(end_names), &end, err) < 0 ||
        ce_gang_read_text(record, "why", gang.why, sizeof gang.why, err) < 0 ||
        ce_gang_read_switch(record, "requeue", &gang.requeue, err) < 0 ||
        ce_gang_read_number(record, "judge", 1, &gang.judge, err) < 0 ||
        ce_gang_read_number(record, "took", UINT32_MAX, &gang.took_ms, err) < 0 ||
        ce_gang_read_number(record, "refused", UINT32_MAX, &gang.refused, err) < 0 ||
        ce_gang_read_text(record, "refusal", gang.refusal, sizeof gang.refusal, err) < 0 ||
        ce_gang_view_read(record, &gang.own, err) < 0 ||
        ce_gang_verdict_read(record, count, &gang.verdict, err) < 0 ||
        ce_gang_nccl_read(record, &gang.nccl, err) < 0)
        return -1;
    gang.end = (enum ce_gang_end)end;
    *ret = gang;
    return 0;
}
